import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { readVersion } from '../../adapters/package/version.ts';
import { projectRoot } from '../setup/sources.ts';
import { packWithNpm } from './commands.ts';
import { buildKrewArchive } from './krew-archive.ts';
import { krewManifest } from './krew-manifest.ts';

// npm run release -- URL    writes what is uploaded to the folder at that URL to build/release
const [url] = process.argv.slice(2);
if (url === undefined || !URL.canParse(url)) {
  console.error('Name the URL of the folder that the archives are uploaded to: npm run release -- URL');
  process.exit(64);
}
const folder = join(projectRoot, 'build', 'release');
const version = readVersion();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const npmPackage = packWithNpm(projectRoot, folder);
const archive = buildKrewArchive(npmPackage, join(folder, `nodeferry-kubectl-${version}.tar.gz`));
const uri = `${url.replace(/\/$/, '')}/${basename(archive.path)}`;
const manifest = join(folder, 'nodeferry.yaml');
writeFileSync(manifest, krewManifest({ version, uri, sha256: archive.sha256 }));
for (const path of [npmPackage, archive.path, manifest]) console.log(path);
