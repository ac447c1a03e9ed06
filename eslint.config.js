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
);
