import { compareText } from '../text/format.ts';
import type { Rule } from './rule.ts';
import { inf005SingleController } from './rules/inf-005-single-controller.ts';
import { inf010OwnControlLoop } from './rules/inf-010-own-control-loop.ts';
import { inf011DnsOnOneNode } from './rules/inf-011-dns-on-one-node.ts';
import { svc003TrafficPortCheck } from './rules/svc-003-traffic-port-check.ts';
import { svc004HealthCheckPort } from './rules/svc-004-health-check-port.ts';
import { svc009ResetsUnhealthy } from './rules/svc-009-resets-unhealthy.ts';
import { svc011ProxyHeader } from './rules/svc-011-proxy-header.ts';
import { svc012NoReadinessGate } from './rules/svc-012-no-readiness-gate.ts';
import { svc016DrainShorterThanGrace } from './rules/svc-016-drain-shorter-than-grace.ts';
import { svc021OldKubeProxy } from './rules/svc-021-old-kube-proxy.ts';
import { wkl005UnreadyBlock } from './rules/wkl-005-unready-block.ts';
import { wkl006OnOneNode } from './rules/wkl-006-on-one-node.ts';
import { wkl007OneZone } from './rules/wkl-007-one-zone.ts';
import { wkl009ReadinessEndsEarly } from './rules/wkl-009-readiness-ends-early.ts';
import { wkl010SleepsTooLong } from './rules/wkl-010-sleeps-too-long.ts';
import { wkl011ShortGrace } from './rules/wkl-011-short-grace.ts';
import { wkl012StopsListening } from './rules/wkl-012-stops-listening.ts';
import { wkl013NoReadinessProbe } from './rules/wkl-013-no-readiness-probe.ts';
import { wkl033ShortPreStop } from './rules/wkl-033-short-pre-stop.ts';
import { sharedRules } from './shared-rules.ts';

/** Every rule of `nodeferry audit`, in the order of their ids. */
export const rules: readonly Rule[] = [
  ...sharedRules,
  svc003TrafficPortCheck,
  svc004HealthCheckPort,
  svc009ResetsUnhealthy,
  svc011ProxyHeader,
  svc012NoReadinessGate,
  svc016DrainShorterThanGrace,
  svc021OldKubeProxy,
  wkl005UnreadyBlock,
  wkl006OnOneNode,
  wkl007OneZone,
  wkl009ReadinessEndsEarly,
  wkl010SleepsTooLong,
  wkl011ShortGrace,
  wkl012StopsListening,
  wkl013NoReadinessProbe,
  wkl033ShortPreStop,
  inf005SingleController,
  inf010OwnControlLoop,
  inf011DnsOnOneNode,
].toSorted((a, b) => compareText(a.id, b.id));
