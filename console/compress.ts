import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const LIMIT = 200_000;
const TEXT = /\.(js|css|html|svg)$/;

/** Lay a .gz and a .br beside each text of the build, and fail when all of it together grows beyond the limit. */
export function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      if (!dir) return;
      const sizes = await Promise.all(
        Object.keys(bundle)
          .filter((name) => TEXT.test(name))
          .map((name) => pack(join(dir, name))),
      );
      const total = sizes.reduce((sum, size) => sum + size, 0);
      this.info(`${(total / 1000).toFixed(1)} kB gzip in all, of ${LIMIT / 1000} kB`);
      if (total > LIMIT) this.error(`The console weighs ${total} bytes gzip. Make it smaller than ${LIMIT}.`);
    },
  };
}

async function pack(path: string): Promise<number> {
  const text = await readFile(path);
  const [small, smaller] = await Promise.all([promisify(gzip)(text, { level: 9 }), promisify(brotliCompress)(text)]);
  await Promise.all([writeFile(`${path}.gz`, small), writeFile(`${path}.br`, smaller)]);
  return small.length;
}
