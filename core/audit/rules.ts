import { compareText } from '../text/format.ts';
import type { Rule } from './rule.ts';
import { inf001UnpinnedNodes } from './rules/inf-001-unpinned-nodes.ts';
import { inf005SingleController } from './rules/inf-005-single-controller.ts';
import { inf010OwnControlLoop } from './rules/inf-010-own-control-loop.ts';
import { inf011DnsOnOneNode } from './rules/inf-011-dns-on-one-node.ts';
import { svc003TrafficPortCheck } from './rules/svc-003-traffic-port-check.ts';
import { svc004HealthCheckPort } from './rules/svc-004-health-check-port.ts';
import { svc007CutsConnections } from './rules/svc-007-cuts-connections.ts';
import { svc009ResetsUnhealthy } from './rules/svc-009-resets-unhealthy.ts';
import { svc010OutlivesDeregistration } from './rules/svc-010-outlives-deregistration.ts';
import { svc011ProxyHeader } from './rules/svc-011-proxy-header.ts';
import { svc012NoReadinessGate } from './rules/svc-012-no-readiness-gate.ts';
import { svc013GatesMayBeMissing } from './rules/svc-013-gates-may-be-missing.ts';
import { svc014OutdatedGroup } from './rules/svc-014-outdated-group.ts';
import { svc015DatagramsNotDrained } from './rules/svc-015-datagrams-not-drained.ts';
import { svc016DrainShorterThanGrace } from './rules/svc-016-drain-shorter-than-grace.ts';
import { svc021OldKubeProxy } from './rules/svc-021-old-kube-proxy.ts';
import { svc023ProxyRestarts } from './rules/svc-023-proxy-restarts.ts';
import { svc024StickyClients } from './rules/svc-024-sticky-clients.ts';
import { svc026DifferentChecks } from './rules/svc-026-different-checks.ts';
import { svc031ZoneNotEnabled } from './rules/svc-031-zone-not-enabled.ts';
import { wkl005UnreadyBlock } from './rules/wkl-005-unready-block.ts';
import { wkl006OnOneNode } from './rules/wkl-006-on-one-node.ts';
import { wkl007OneZone } from './rules/wkl-007-one-zone.ts';
import { wkl009ReadinessEndsEarly } from './rules/wkl-009-readiness-ends-early.ts';
import { wkl010SleepsTooLong } from './rules/wkl-010-sleeps-too-long.ts';
import { wkl011ShortGrace } from './rules/wkl-011-short-grace.ts';
import { wkl012StopsListening } from './rules/wkl-012-stops-listening.ts';
import { wkl013NoReadinessProbe } from './rules/wkl-013-no-readiness-probe.ts';
import { wkl014ReadyBeforeRegistered } from './rules/wkl-014-ready-before-registered.ts';
import { wkl015RolloutOutrunsCheck } from './rules/wkl-015-rollout-outruns-check.ts';
import { wkl020RolloutTakesAll } from './rules/wkl-020-rollout-takes-all.ts';
import { wkl022SlowReadiness } from './rules/wkl-022-slow-readiness.ts';
import { wkl023LastingConnections } from './rules/wkl-023-lasting-connections.ts';
import { wkl024GateTimedOut } from './rules/wkl-024-gate-timed-out.ts';
import { wkl033ShortPreStop } from './rules/wkl-033-short-pre-stop.ts';
import { sharedRules } from './shared-rules.ts';

/** Every rule of `nodeferry audit`, in the order of their ids. */
export const rules: readonly Rule[] = [
  ...sharedRules,
  inf001UnpinnedNodes,
  inf005SingleController,
  inf010OwnControlLoop,
  inf011DnsOnOneNode,
  svc003TrafficPortCheck,
  svc004HealthCheckPort,
  svc007CutsConnections,
  svc009ResetsUnhealthy,
  svc010OutlivesDeregistration,
  svc011ProxyHeader,
  svc012NoReadinessGate,
  svc013GatesMayBeMissing,
  svc014OutdatedGroup,
  svc015DatagramsNotDrained,
  svc016DrainShorterThanGrace,
  svc021OldKubeProxy,
  svc023ProxyRestarts,
  svc024StickyClients,
  svc026DifferentChecks,
  svc031ZoneNotEnabled,
  wkl005UnreadyBlock,
  wkl006OnOneNode,
  wkl007OneZone,
  wkl009ReadinessEndsEarly,
  wkl010SleepsTooLong,
  wkl011ShortGrace,
  wkl012StopsListening,
  wkl013NoReadinessProbe,
  wkl014ReadyBeforeRegistered,
  wkl015RolloutOutrunsCheck,
  wkl020RolloutTakesAll,
  wkl022SlowReadiness,
  wkl023LastingConnections,
  wkl024GateTimedOut,
  wkl033ShortPreStop,
].toSorted((a, b) => compareText(a.id, b.id));
