import { existsSync } from 'node:fs';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { runCommand } from './command.ts';
import { SetupError } from './errors.ts';
import type { InstallContext, Tool } from './tool.ts';

/** A program or file that the lab uses, and the Debian package that contains it. */
interface SystemProgram {
  /** Name to be found on PATH or in an sbin folder, or an absolute path. */
  readonly program: string;
  readonly package: string;
}

const systemPrograms: readonly SystemProgram[] = [
  { program: 'containerd', package: 'containerd' },
  { program: 'ctr', package: 'containerd' },
  { program: 'containerd-shim-runc-v2', package: 'containerd' },
  { program: 'runc', package: 'runc' },
  { program: '/usr/lib/cni/bridge', package: 'containernetworking-plugins' },
  { program: '/usr/lib/cni/host-local', package: 'containernetworking-plugins' },
  { program: 'nft', package: 'nftables' },
  { program: 'iptables', package: 'iptables' },
  { program: 'conntrack', package: 'conntrack' },
  { program: 'ip', package: 'iproute2' },
  { program: 'socat', package: 'socat' },
  { program: 'sysctl', package: 'procps' },
  { program: 'nsenter', package: 'util-linux' },
  { program: 'unshare', package: 'util-linux' },
  { program: 'mount', package: 'mount' },
  { program: 'openssl', package: 'openssl' },
];

/** System programs that the lab's nodes and networks need, from the distribution. */
export const packages: Tool = {
  name: 'packages',
  label: 'System packages',
  typicalSeconds: 20,
  after: [],
  isReady: () => missingPackages().length === 0,
  install: async (context) => {
    const missing = missingPackages();
    if (!isOnPath('apt-get')) {
      throw new SetupError(
        `Missing: ${missingPrograms().join(', ')}.`,
        'Install them with the package manager of this system; only Debian and Ubuntu are set up automatically.',
      );
    }
    if (process.getuid?.() !== 0) {
      throw new SetupError(
        `Missing: ${missingPrograms().join(', ')}; only root can install them.`,
        `Run \`sudo apt-get install ${missing.join(' ')}\`, or run this as root.`,
      );
    }
    await withServicesHeldBack(() => installPackages(missing, context));
  },
};

function missingPrograms(): string[] {
  return systemPrograms.map(({ program }) => program).filter((program) => !isThere(program));
}

function missingPackages(): string[] {
  return [...new Set(systemPrograms.filter(({ program }) => !isThere(program)).map((one) => one.package))].sort();
}

function isThere(program: string): boolean {
  return program.startsWith('/') ? existsSync(program) : isOnPath(program);
}

function isOnPath(program: string): boolean {
  const directories = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/local/sbin',
    '/usr/sbin',
    '/sbin',
    '/usr/bin',
    '/bin',
  ];
  return directories.some((directory) => directory !== '' && existsSync(join(directory, program)));
}

async function installPackages(names: readonly string[], context: InstallContext): Promise<void> {
  // Waits for another apt-get instead of failing.
  const lock = ['-o', 'DPkg::Lock::Timeout=120'];
  const options = {
    env: { DEBIAN_FRONTEND: 'noninteractive' },
    signal: context.signal,
    fix: `Run \`apt-get update && apt-get install ${names.join(' ')}\` by hand and check its output.`,
  };
  context.report('reading the package lists');
  await runCommand('apt-get', [...lock, 'update'], options);
  context.report(`installing ${names.join(' ')}`);
  await runCommand('apt-get', [...lock, 'install', '-y', '--no-install-recommends', ...names], options);
}

const policyFile = '/usr/sbin/policy-rc.d';
const policyComment = '# Written by the nodeferry setup while it installs packages.';

/** Runs `work` while newly installed packages may not start their services (invoke-rc.d asks policy-rc.d; 101 forbids it). */
async function withServicesHeldBack(work: () => Promise<void>): Promise<void> {
  const present = await readFile(policyFile, 'utf8').catch(() => undefined);
  const foreign = present !== undefined && !present.includes(policyComment);
  if (foreign) {
    await work();
    return;
  }
  await writeFile(policyFile, `#!/bin/sh\n${policyComment}\nexit 101\n`);
  await chmod(policyFile, 0o755);
  try {
    await work();
  } finally {
    await rm(policyFile, { force: true });
  }
}
