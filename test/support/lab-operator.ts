/** An operator of the lab: types commands of nodeferry and kubectl, with policies in files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Session } from '../../demo/session.ts';
import { run } from '../../lab/process.ts';
import { toolPaths } from '../../scripts/setup/paths.ts';
import { runCommandLine } from './command-line.ts';

/** As the lab's load balancers and clients need it; see nextPolicy in lab-upgrades.ts. */
const waits = { propagation: '8s', maxConnectionAge: { '*': '10s' } };

/** The pool that the demo's policy is about, as commands take it. */
export const labPool = 'lab/web';

/** What an operator has at hand. */
export interface LabOperator {
  /** Runs `nodeferry` as a user would. */
  nodeferry(...args: readonly string[]): ReturnType<typeof runCommandLine>;
  /** Runs `nodeferry` and answers with what it printed. @throws Error when it does not end with that code */
  expectCode(code: number, ...args: readonly string[]): Promise<string>;
  kubectl(...args: readonly string[]): Promise<string>;
  /** Writes the demo's policy, with these sections of its `spec` on top, and answers with the file's name. */
  writePolicy(spec?: Readonly<Record<string, unknown>>): string;
}

/** An operator at a session of the lab. */
export function operatorOf({ lab, temporal, directory }: Session): LabOperator {
  const nodeferry = async (...args: readonly string[]) => {
    const env = { ...lab.opsEnv, AWS_ENDPOINT_URL: lab.awsUrl, KUBECONFIG: lab.kubeconfigPath };
    return await runCommandLine(args, {
      input: '',
      env: { ...env, TEMPORAL_ADDRESS: temporal.address, NO_COLOR: '1' },
    });
  };
  return {
    nodeferry,
    expectCode: async (code, ...args) => {
      const ended = await nodeferry(...args);
      if (ended.code === code) return ended.stdout;
      const said = `${ended.stdout}${ended.stderr}`;
      throw new Error(`nodeferry ${args.join(' ')} ended with ${ended.code}, not ${code}:\n${said}`);
    },
    kubectl: async (...args) => await run(toolPaths().kubectl, ['--kubeconfig', lab.kubeconfigPath, ...args]),
    writePolicy: (spec = {}) => {
      const template = readFileSync(new URL('../../demo/policy.yaml', import.meta.url), 'utf8');
      const written = parse(template) as { readonly spec: { readonly waits: object } };
      const file = join(directory, 'policy.yaml');
      const all = { ...written.spec, waits: { ...written.spec.waits, ...waits }, ...spec };
      writeFileSync(file, stringify({ ...written, spec: all }));
      return file;
    },
  };
}
