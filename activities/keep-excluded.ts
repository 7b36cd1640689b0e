import { layOutInSlices } from '../core/guard/lay-out.ts';
import { findReexclusionBlock, findRevocation } from '../core/guard/revocation.ts';
import { servicesAffected } from '../core/guard/services-affected.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { ExternalChange } from '../core/model/external-change.ts';
import { exclusionLock } from '../core/model/pool-lock.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import { isEnabled } from '../core/policy/rules.ts';
import type { ExclusionState } from '../core/status/checkpoint.ts';
import { addExternalChanges } from '../core/status/external-changes.ts';
import { explainUnmanagedCordon, groupsThatAwaitCordon, mayAwaitCordon } from '../core/waits/cordon-change.ts';
import { needsLabelAgain } from '../core/waits/load-balancers.ts';
import type { Observer } from '../operations/observer.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { Ports } from '../ports/ports.ts';
import type { Fence } from './fence.ts';
import { inSlices } from './in-slices.ts';
import { withLocks } from './momentary-locks.ts';
import { changeCordon, ensureCordoned } from './node-actions.ts';
import type { NodeStepInput } from './node-step.ts';

/** The result of one poll of an excluded node. */
interface KeepExcludedPoll {
  readonly kept: ExclusionState;
  /** The label had to be set: from now on the node leaves its load balancers anew. */
  readonly anew: boolean;
  /** Why the step can't continue yet. */
  readonly waitReason?: string;
  /** Why the node was restored. */
  readonly restoredBecause?: string;
}

/** The share of the deregistration deadline after which a node that is still registered gets its label set again. */
const patienceShare = 1 / 3;

/** A busy controller may never observe the removal of a label that is absent for less, ms. */
const minAbsenceMs = 2_000;

/** Keeps a node excluded, or restores it when it should not have been excluded. */
export function createKeepExcluded(ports: Ports<Actions & Locks>, observer: Observer) {
  const { clock, cluster } = ports;
  return async (
    input: NodeStepInput,
    fence: Fence,
    facts: ServingFacts,
    earlier: ExclusionState,
  ): Promise<KeepExcludedPoll> => {
    const { node, run, policy } = input;
    const now = facts.observedAt;
    const seen = indexOf(facts.cluster).nodes.get(node.name);
    if (seen?.uid !== node.uid) return { kept: earlier, anew: false };
    const acting = cluster.guarded(fence.check);
    const opened = await ensureCordoned(acting, [node], run, facts);
    const kept = { ...earlier, externalChanges: addExternalChanges(earlier.externalChanges, opened) };

    if (kept.removedAt !== undefined) {
      const absence = Math.max(minAbsenceMs, policy.waits.stabilizationMs);
      if (now - kept.removedAt < absence)
        return { kept, anew: true, waitReason: 'its label is removed, to be set again' };
      return await labelAgain('its label was set again');
    }
    if (!seen.excluded) {
      const told = { at: now, what: `somebody removed the exclude label of ${node.name}; set again` };
      return await labelAgain(told.what, [told]);
    }
    await inSlices(layOutInSlices(facts));
    const lost = findRevocation({ ...input, facts });
    if (lost !== undefined) return await expired(lost);
    const { revokedSince: _over, ...steady } = kept;
    const patienceMs = patienceShare * policy.waits.deadlines.deregistrationMs;
    const isWatched = isEnabled(policy, 'wait-for-deregistration');
    const isLate = (since: number | undefined) => since === undefined || now - since >= patienceMs;
    const unaware = isWatched ? groupsThatAwaitCordon(node, facts) : [];
    const unmanaged = explainUnmanagedCordon(node, facts, unaware, run);
    if (unmanaged !== undefined) return { kept: steady, anew: false, waitReason: unmanaged };
    if (unaware.length > 0 && isLate(kept.cordonChangedAt)) {
      await changeCordon(acting, node, run);
      return { kept: { ...steady, cordonChangedAt: now }, anew: false };
    }
    if (!isWatched || !needsLabelAgain(node, facts, now - kept.labelledAt, patienceMs))
      return { kept: steady, anew: false };
    await acting.include(node, run);
    const told = {
      at: now,
      what: `${node.name} stayed in a load balancer despite its label; removed and set again`,
    };
    const again = { ...steady, removedAt: clock.now(), externalChanges: [...kept.externalChanges, told] };
    return { kept: again, anew: true, waitReason: told.what };

    /** While the node had no label, others may have counted on it: it gets the label only if it still may be excluded. */
    async function labelAgain(done: string, told: readonly ExternalChange[] = []): Promise<KeepExcludedPoll> {
      const answer = await excludeAgain(input, fence, facts);
      if (answer === 'busy') return { kept, anew: true, waitReason: `${node.name} waits to be excluded again` };
      if (answer !== 'done') return { ...(await expired(answer.reason)), anew: true };
      // A controller that has not noticed the label the first time may need a cordon that changes after it.
      if (mayAwaitCordon(node, facts)) await changeCordon(acting, node, run);
      const externalChanges = [...kept.externalChanges, ...told];
      return { kept: { labelledAt: clock.now(), externalChanges }, anew: true, waitReason: done };
    }

    /** One observation may show a moment that has passed; two that agree restore the node. */
    async function expired(reason: string): Promise<KeepExcludedPoll> {
      const revokedSince = kept.revokedSince ?? now;
      const waiting = {
        kept: { ...kept, revokedSince },
        anew: false,
        waitReason: `${node.name} may have to be restored: ${reason}`,
      };
      if (now === revokedSince || now - revokedSince < policy.waits.stabilizationMs) return waiting;
      // It serves already, as far as others let it.
      if (!seen?.excluded) return { ...waiting, restoredBecause: reason };
      const restoredBecause = await restoreExclusion(input, fence, facts);
      return restoredBecause === undefined ? waiting : { ...waiting, restoredBecause };
    }
  };

  /**
   * Sets the label again, under the exclusion lock and from an observation that was made under it, like any exclusion. Returns why it must not be set.
   */
  async function excludeAgain(
    input: NodeStepInput,
    fence: Fence,
    earlier: ServingFacts,
  ): Promise<{ readonly reason: string } | 'busy' | 'done'> {
    const { node, run } = input;
    return await withLocks<{ readonly reason: string } | 'busy' | 'done'>(ports, {
      run,
      names: [exclusionLock],
      whenBusy: () => 'busy',
      body: async (held) => {
        const facts = await held.during(observer.refresh(earlier, input, servicesAffected(node, earlier)));
        if (facts === undefined) return 'busy';
        await inSlices(layOutInSlices(facts));
        const reason = findReexclusionBlock({ ...input, facts });
        if (reason !== undefined) return { reason };
        await held.require();
        await cluster.guarded(fence.check).exclude(node, run);
        return 'done';
      },
    });
  }

  /** Runs under the exclusion lock, so that no more nodes than necessary are restored. */
  async function restoreExclusion(
    input: NodeStepInput,
    fence: Fence,
    earlier: ServingFacts,
  ): Promise<string | undefined> {
    return await withLocks<string | undefined>(ports, {
      run: input.run,
      names: [exclusionLock],
      whenBusy: () => undefined,
      body: async () => {
        const facts = { ...earlier, cluster: await observer.cluster(), observedAt: clock.now() };
        await inSlices(layOutInSlices(facts));
        const reason = findRevocation({ ...input, facts });
        if (reason === undefined) return undefined;
        await cluster.guarded(fence.check).include(input.node, input.run);
        return reason;
      },
    });
  }
}
