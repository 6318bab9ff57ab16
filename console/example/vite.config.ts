import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const server = process.env.MEMSIEVE_URL ?? 'http://127.0.0.1:8080';

/** The example page; an app of your own needs none of this but React. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), tailwind()],
  build: { outDir: '../dist/example', emptyOutDir: true },
  server: { proxy: { '/api': { target: server, changeOrigin: true, headers: { origin: server } } } },
});
