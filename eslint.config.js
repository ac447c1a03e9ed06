import parser from '@typescript-eslint/parser';
import { defineConfig } from 'eslint/config';
import regexp from 'eslint-plugin-regexp';

// Biome formats and lints, and oxlint checks the rules that need types: no promise may be forgotten. Here are the rules that
// neither of them has.
export default defineConfig(
  { ignores: ['**/dist/', '**/src/generated/', '**/*.js', '**/*.mjs', 'prisma.config.ts'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parser },
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'URL', property: 'canParse', message: 'Node 20 answers wrongly once it is hot: see parseUrl.' },
      ],
    },
  },
  {
    // On any input, a pattern of the product costs no more than linear time.
    files: ['apps/**/*.ts', 'apps/**/*.tsx', 'packages/**/*.ts'],
    ignores: ['**/*.test.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false, ignoreSticky: false }],
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(NewExpression, CallExpression)[callee.name="RegExp"]',
          message: 'Write a literal: the linter cannot see what a built pattern costs.',
        },
      ],
    },
  },
);
