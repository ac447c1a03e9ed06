import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

// biome formats and lints; these are the rules that need types (no promise may be forgotten), and ours.
export default tseslint.config(
  { ignores: ['**/dist/', '**/src/generated/', '**/*.js', '**/*.mjs', 'prisma.config.ts'] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: ['packages/*/tsconfig.json', 'apps/*/tsconfig.json', 'test/tsconfig.json'] },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/await-thenable': 'error',
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
