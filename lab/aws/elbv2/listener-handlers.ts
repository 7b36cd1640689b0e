import type {
  Action,
  AddTagsInput,
  CreateListenerInput,
  CreateListenerOutput,
  DeleteListenerInput,
  DescribeListenersInput,
  DescribeListenersOutput,
  DescribeTagsInput,
  DescribeTagsOutput,
  Listener as ListenerDescription,
  ModifyListenerInput,
  ModifyListenerOutput,
  ProtocolEnum,
  RemoveTagsInput,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { pageOf } from '../paging.ts';
import { randomHex } from '../random.ts';
import { notifyChange, type World } from '../world.ts';
import { elbError } from './errors.ts';
import { requireLoadBalancer } from './load-balancer-handlers.ts';
import type { Listener, LoadBalancer, TargetGroup } from './state.ts';
import { requireTargetGroup } from './target-group-handlers.ts';
import { followUse, loadBalancersOf } from './targets.ts';

function describe(balancer: LoadBalancer, listener: Listener): ListenerDescription {
  return {
    ListenerArn: listener.arn,
    LoadBalancerArn: balancer.arn,
    Port: listener.port,
    Protocol: listener.protocol as ProtocolEnum,
    DefaultActions: [{ Type: 'forward', TargetGroupArn: listener.targetGroupArn, Order: 1 }],
  };
}

/** ELBv2 operations on listeners, and tags. */
export function listenerHandlers(world: World) {
  function requireListener(arn: string | undefined): { balancer: LoadBalancer; listener: Listener } {
    for (const balancer of world.loadBalancers.values()) {
      const listener = balancer.listeners.get(arn ?? '');
      if (listener !== undefined) return { balancer, listener };
    }
    throw elbError('ListenerNotFound', `One or more listeners not found`);
  }

  /** A target group serves only one network load balancer (Elastic Load Balancing guide, "Target groups"). */
  function requireForward(balancer: LoadBalancer, actions: readonly Action[] | undefined): TargetGroup {
    const [action] = actions ?? [];
    const arn = action?.TargetGroupArn ?? action?.ForwardConfig?.TargetGroups?.[0]?.TargetGroupArn;
    const group = requireTargetGroup(world, arn);
    if (loadBalancersOf(world, group).some((other) => other !== balancer)) {
      throw elbError(
        'TargetGroupAssociationLimit',
        `The following target groups cannot be associated with more than one load balancer: ${group.arn}`,
      );
    }
    return group;
  }

  function requireFreePort(balancer: LoadBalancer, port: number, except?: Listener): void {
    if ([...balancer.listeners.values()].some((other) => other !== except && other.port === port)) {
      throw elbError('DuplicateListener', 'A listener already exists on this port for this load balancer');
    }
  }

  function followAll(): void {
    for (const group of world.targetGroups.values()) followUse(world, group);
  }

  function tagged(arn: string): Map<string, string> {
    return (world.loadBalancers.get(arn) ?? requireTargetGroup(world, arn)).tags;
  }

  return {
    CreateListener(input: CreateListenerInput): CreateListenerOutput {
      const balancer = requireLoadBalancer(world, input.LoadBalancerArn);
      const group = requireForward(balancer, input.DefaultActions);
      requireFreePort(balancer, input.Port ?? 0);
      const listener: Listener = {
        arn: `${balancer.arn.replace(':loadbalancer/', ':listener/')}/${randomHex(world.random, 16)}`,
        port: input.Port ?? 0,
        protocol: input.Protocol ?? 'TCP',
        targetGroupArn: group.arn,
      };
      balancer.listeners.set(listener.arn, listener);
      followUse(world, group);
      return { Listeners: [describe(balancer, listener)] };
    },

    DescribeListeners(input: DescribeListenersInput): DescribeListenersOutput {
      const found =
        input.LoadBalancerArn === undefined
          ? (input.ListenerArns ?? []).map(requireListener)
          : [requireLoadBalancer(world, input.LoadBalancerArn)].flatMap((balancer) =>
              [...balancer.listeners.values()].map((listener) => ({ balancer, listener })),
            );
      const page = pageOf(found, input.Marker, input.PageSize ?? 400, 'ValidationError');
      return {
        Listeners: page.items.map(({ balancer, listener }) => describe(balancer, listener)),
        NextMarker: page.nextToken,
      };
    },

    ModifyListener(input: ModifyListenerInput): ModifyListenerOutput {
      const { balancer, listener } = requireListener(input.ListenerArn);
      const group = input.DefaultActions === undefined ? undefined : requireForward(balancer, input.DefaultActions);
      if (input.Port !== undefined) requireFreePort(balancer, input.Port, listener);
      listener.port = input.Port ?? listener.port;
      listener.protocol = input.Protocol ?? listener.protocol;
      listener.targetGroupArn = group?.arn ?? listener.targetGroupArn;
      followAll();
      return { Listeners: [describe(balancer, listener)] };
    },

    DeleteListener(input: DeleteListenerInput): object {
      const { balancer, listener } = requireListener(input.ListenerArn);
      balancer.listeners.delete(listener.arn);
      followAll();
      return {};
    },

    AddTags(input: AddTagsInput): object {
      for (const tags of (input.ResourceArns ?? []).map(tagged)) {
        for (const { Key = '', Value = '' } of input.Tags ?? []) tags.set(Key, Value);
      }
      notifyChange(world);
      return {};
    },

    RemoveTags(input: RemoveTagsInput): object {
      for (const tags of (input.ResourceArns ?? []).map(tagged)) {
        for (const key of input.TagKeys ?? []) tags.delete(key);
      }
      notifyChange(world);
      return {};
    },

    /** At most 20 resources in one call (ELBv2 API reference, DescribeTags). */
    DescribeTags(input: DescribeTagsInput): DescribeTagsOutput {
      const arns = input.ResourceArns ?? [];
      if (arns.length > 20) throw elbError('ValidationError', `The number of resources must be at most 20`);
      return {
        TagDescriptions: arns.map((ResourceArn) => ({
          ResourceArn,
          Tags: [...tagged(ResourceArn)].map(([Key, Value]) => ({ Key, Value })),
        })),
      };
    },
  };
}
