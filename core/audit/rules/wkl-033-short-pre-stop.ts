import { preStopOf, sleptBy } from '../../model/pre-stop.ts';
import { withCommands } from '../commands.ts';
import { explainAdded, letSleep, servingContainers } from '../containers.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** Oldest Kubernetes in which the `sleep` hook is enabled. */
const sleepSince = '1.30';

/** WKL-033: pods that stop before everybody has heard that they leave, when they are evicted while their node is still in its load balancer. */
export const wkl033ShortPreStop: Rule = {
  id: 'WKL-033',
  severities: ['error', 'warning'],
  title: 'Pods that stop before callers have heard of it',
  why: 'kubectl drain, autoscalers and the upgrades of the clouds evict pods while their node is in its load balancers. Until health checks and kube-proxy have noticed, connections arrive at a pod that was told to stop. Only a preStop hook, or an application that serves on after SIGTERM, answers them. nodeferry excludes the node first and removes the pods from their endpoints, and so needs nothing from them.',
  fix: 'Give the pods a preStop sleep of the time that the finding says, and a grace period that is longer; or replace nodes with nodeferry.',
  source:
    'KEP-1669; source-IP preservation proposal, (unhealthy threshold + 1) times the interval; measured: 36 and 38 of 6,360 connections lost without a hook, none with one',
  check: (question) =>
    groupPods(evictedPods(question), ({ pod, need, isBalanced }, object) => {
      const preStop = preStopOf(pod);
      if (preStop * 1000 >= need.preStopMs) return undefined;
      const seconds = Math.ceil(need.preStopMs / 1000);
      const { own, added } = servingContainers(pod, question);
      const short = added.filter((name) => sleptBy(pod.lifecycle?.preStops?.[name]) < seconds);
      return {
        severity: isBalanced ? 'error' : 'warning',
        message: `they serve ${preStop} s after an eviction (preStop) and need ${need.isLeast ? 'more than ' : ''}${seconds} s: ${need.because} (Service ${need.service.key})`,
        fix: {
          text: `Let them sleep ${seconds} s before they stop (Kubernetes ${sleepSince} or later), which starts a rollout; or replace the nodes with nodeferry, which needs no change.${explainAdded(short, object)}`,
          ...withCommands(letSleep({ pod, object, seconds }, own)),
        },
      };
    }),
};
