import type { Command } from 'commander';

/** Which kubeconfig and context a command uses that reads the cluster itself. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Commands that read the cluster themselves; a run reads it with the kubeconfig of its workers. */
const readers = ['audit', 'plan', 'upgrade', 'drain', 'cleanup', 'doctor'];

/** Adds these options to the commands that read the cluster themselves. */
export function addClusterOptions(program: Command): void {
  for (const command of program.commands.filter((one) => readers.includes(one.name()))) {
    command
      .option('--kubeconfig <file>', 'kubeconfig; KUBECONFIG or ~/.kube/config unless given')
      .option('--context <context>', 'context of the kubeconfig; its current one unless given');
  }
}

/** Only these options of a command. */
export function clusterOptionsOf({ kubeconfig, context }: ClusterOptions): ClusterOptions {
  return { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) };
}
