import type { BrokenFlows, DataPlane, ForwardingRule, HealthProbe, ProbeResult } from '../../lab/contracts.ts';

/** A data plane that keeps what it was told and answers health checks as the test says. */
export interface ScriptedDataPlane extends DataPlane {
  rules: readonly ForwardingRule[];
  probes: readonly HealthProbe[];
  readonly broken: BrokenFlows[];
  /** Answers every running health check once; `ok` by the target's address. */
  checkOnce(ok: (ip: string) => boolean): void;
}

/** Creates one without rules and health checks. */
export function scriptedDataPlane(): ScriptedDataPlane {
  let report: (result: ProbeResult) => void = () => {};
  const plane: ScriptedDataPlane = {
    rules: [],
    probes: [],
    broken: [],
    forward: (rules) => {
      plane.rules = rules;
    },
    probe: (probes, onResult) => {
      plane.probes = probes;
      report = onResult;
    },
    breakFlows: (flows) => {
      plane.broken.push(...flows);
    },
    checkOnce: (ok) => {
      for (const { id, ip } of plane.probes) report({ id, ok: ok(ip), detail: '' });
    },
  };
  return plane;
}
