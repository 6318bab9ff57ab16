import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compress } from './compress';

const server = process.env.MEMSIEVE_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), tailwind(), compress()],
  build: { outDir: '../src/memsieve/api/console', emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0 },
  server: {
    // The server answers pages of its own origin alone.
    proxy: { '/api': { target: server, changeOrigin: true, headers: { origin: server } } },
  },
});
