/** Builds the pods' images: archives as `docker save` writes them, with one statically linked program each. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolPaths } from '../../scripts/setup/paths.ts';
import { run } from '../process.ts';

/** Image names as pods use them; they are never pulled. */
export const IMAGES = {
  app: 'lab.local/app:1',
  prober: 'lab.local/prober:1',
  pause: 'lab.local/pause:1',
} as const;

interface ImageSpec {
  readonly tag: string;
  readonly program: string;
  readonly entrypoint: readonly string[];
}

/** Writes `images.tar` into the folder and resolves with its path. */
export async function buildImages(folder: string, tools: Pick<ToolPaths, 'app' | 'prober'>): Promise<string> {
  const work = join(folder, 'work');
  await mkdir(work, { recursive: true });
  const images: readonly ImageSpec[] = [
    { tag: IMAGES.app, program: tools.app, entrypoint: ['/bin/app'] },
    { tag: IMAGES.prober, program: tools.prober, entrypoint: ['/bin/prober'] },
    // A sandbox only has to stay alive. The app does that too, on a loopback port that the kernel chooses.
    { tag: IMAGES.pause, program: tools.app, entrypoint: ['/bin/app', '-listen', '127.0.0.1:0'] },
  ];
  const layers = new Map<string, string>();
  const manifest = [];
  for (const image of images) {
    const layer = layers.get(image.program) ?? (await buildLayer(work, image));
    layers.set(image.program, layer);
    manifest.push({
      Config: await buildConfig(work, image, layer),
      RepoTags: [image.tag],
      Layers: [`${layer}/layer.tar`],
    });
  }
  await writeFile(join(work, 'manifest.json'), JSON.stringify(manifest));
  const archive = join(folder, 'images.tar');
  const configs = new Set(manifest.map((entry) => entry.Config));
  await run('tar', ['-C', work, '-cf', archive, 'manifest.json', ...configs, ...new Set(layers.values())]);
  await rm(work, { recursive: true });
  return archive;
}

/** Resolves with the SHA-256 of the layer, which is also the name of its folder. */
async function buildLayer(work: string, image: ImageSpec): Promise<string> {
  const root = join(work, 'root');
  await mkdir(join(root, 'bin'), { recursive: true });
  await copyFile(image.program, join(root, image.entrypoint[0] ?? ''));
  await run('chmod', ['0755', join(root, image.entrypoint[0] ?? '')]);
  const layer = join(work, 'layer.tar');
  await run('tar', ['-C', root, '--sort=name', '--mtime=@0', '--owner=0', '--group=0', '-cf', layer, 'bin']);
  const digest = createHash('sha256')
    .update(await readFile(layer))
    .digest('hex');
  await mkdir(join(work, digest), { recursive: true });
  await run('mv', [layer, join(work, digest, 'layer.tar')]);
  await rm(root, { recursive: true });
  return digest;
}

/** Resolves with the file name of the image's configuration (OCI image-spec, config.md). */
async function buildConfig(work: string, image: ImageSpec, layer: string): Promise<string> {
  const config = JSON.stringify({
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Entrypoint: image.entrypoint },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layer}`] },
  });
  const name = `${createHash('sha256').update(config).digest('hex')}.json`;
  await writeFile(join(work, name), config);
  return name;
}
