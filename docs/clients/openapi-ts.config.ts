import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: 'http://localhost:8080/api/openapi.json',
  output: { path: 'generated', module: { extension: '.ts' } },
  plugins: ['@hey-api/typescript', '@hey-api/client-fetch', 'zod', { name: '@hey-api/sdk', validator: true }],
});
