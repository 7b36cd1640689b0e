import { existsSync } from 'node:fs';
import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { cacheDirectory, publishDirectory } from './cache.ts';
import { runCommand } from './command.ts';
import { SetupError } from './errors.ts';
import { findGo, type GoToolchain, goEnvironment } from './go.ts';
import { goSourceHash, kubernetesSource } from './sources.ts';
import type { InstallContext, Tool } from './tool.ts';

/** Version of the control plane and of new nodes; the code that lab/kubernetes/go.mod pins. */
const kubernetesVersion = '1.36.3';

/** Version that the kubelets of old nodes report. Only the version stamp differs; the code is that of `kubernetesVersion`. */
const oldKubernetesVersion = '1.35.9';

/** Names under which the one executable acts as etcd or as a Kubernetes component. */
const componentNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
] as const;

const kubectlPackage = 'k8s.io/kubernetes/cmd/kubectl';
const cloudControllerPackage = 'k8s.io/cloud-provider-aws/cmd/aws-cloud-controller-manager';

/** Folder that contains the executables of this checkout's sources, built with the given Go. */
export function kubernetesDirectory(go: GoToolchain): string {
  return join(cacheDirectory(), directoryName(go));
}

function directoryName(go: GoToolchain): string {
  const flags = [stamp(kubernetesVersion), stamp(oldKubernetesVersion), process.arch, go.version];
  return `kubernetes-${goSourceHash(kubernetesSource, flags)}`;
}

/** Kubernetes, etcd, kubectl and the AWS cloud controller manager, compiled from Go modules. */
export const kubernetes: Tool = {
  name: 'kubernetes',
  label: 'Kubernetes',
  typicalSeconds: 380,
  after: ['go'],
  isReady: () => {
    const go = findGo();
    return go !== undefined && existsSync(kubernetesDirectory(go));
  },
  install: async (context) => {
    const go = findGo();
    if (go === undefined) throw new SetupError('Go is missing.', 'Install Go 1.26 or later.');
    await publishDirectory(directoryName(go), (directory) => build(directory, go, context));
  },
};

async function build(directory: string, go: GoToolchain, context: InstallContext): Promise<void> {
  const packages = ['.', kubectlPackage, cloudControllerPackage];
  const total = await countPackages(go, packages, context);
  await compile(kubernetesVersion, directory, packages, total);
  await rename(join(directory, 'kubernetes'), join(directory, 'components'));
  for (const name of componentNames) await symlink('components', join(directory, name));

  await mkdir(join(directory, 'old'));
  context.report(`linking the kubelet that reports v${oldKubernetesVersion}`);
  await compile(oldKubernetesVersion, join(directory, 'old', 'kubelet'), ['.'], undefined);

  async function compile(
    version: string,
    output: string,
    what: readonly string[],
    of: number | undefined,
  ): Promise<void> {
    let compiled = 0;
    const args = ['build', '-v', '-trimpath', '-ldflags', stamp(version), '-o', output, ...what];
    const onLine = (line: string) => {
      if (of === undefined || line.startsWith('go: ')) return;
      compiled += 1;
      context.report(`${compiled} of ${of} packages compiled`, compiled / of);
    };
    await runGo(go, args, context, onLine);
  }
}

/** Number of packages in the build; counting them also downloads the modules. */
async function countPackages(go: GoToolchain, packages: readonly string[], context: InstallContext): Promise<number> {
  let count = 0;
  let downloads = 0;
  await runGo(go, ['list', '-deps', ...packages], context, (line) => {
    if (line.startsWith('go: downloading ')) {
      downloads += 1;
      context.report(`${downloads} modules downloaded`);
    } else {
      count += 1;
    }
  });
  return count;
}

function runGo(
  go: GoToolchain,
  args: readonly string[],
  context: InstallContext,
  onLine: (line: string) => void,
): Promise<void> {
  return runCommand(go.command, args, {
    cwd: kubernetesSource,
    env: goEnvironment,
    onLine,
    signal: context.signal,
    fix: 'Access to a Go module proxy (GOPROXY) and about 4 GB of disk are needed once. Compiled packages are kept, so another attempt continues where this one stopped.',
  });
}

/** Linker flags that stamp a version where Kubernetes reads its own (k8s.io/component-base/version). */
function stamp(version: string): string {
  const [major, minor] = version.split('.');
  const values = {
    'k8s.io/component-base/version.gitVersion': `v${version}`,
    'k8s.io/component-base/version.gitMajor': major,
    'k8s.io/component-base/version.gitMinor': minor,
    'k8s.io/component-base/version.gitTreeState': 'clean',
    'k8s.io/client-go/pkg/version.gitVersion': `v${version}`,
  };
  return ['-s', '-w', ...Object.entries(values).map(([name, value]) => `-X ${name}=${value}`)].join(' ');
}
