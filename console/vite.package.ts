import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The digest panel and the badge alone, for other React apps: one ES module and its style. */
export default defineConfig({
  plugins: [react(), tailwind()],
  publicDir: false,
  build: {
    outDir: 'dist/package',
    target: 'es2022',
    lib: { entry: 'src/package/index.ts', formats: ['es'], fileName: 'memsieve', cssFileName: 'memsieve' },
    rollupOptions: { external: [/^react($|\/)/, /^react-dom($|\/)/, '@tanstack/react-query'] },
  },
});
