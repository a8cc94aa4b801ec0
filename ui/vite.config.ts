import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// During `npm run dev` the gateway answers on its usual port, or where LOCKGATE_URL says.
const gateway = process.env['LOCKGATE_URL'] ?? 'http://127.0.0.1:3001'

export default defineConfig({
  // Relative addresses, so that the same files work below any sub-path.
  base: './',
  plugins: [react(), tailwind()],
  build: {
    outDir: 'dist.next',
    emptyOutDir: true,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    manifest: true,
    chunkSizeWarningLimit: 1000,
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/mcp', '/health', '/metrics'].map((path) => [path, { target: gateway, changeOrigin: true }]),
    ),
  },
})
