import { autoScalingHandlers } from './autoscaling/handlers.ts';
import { AwsError } from './codec/errors.ts';
import type { ServiceName } from './codec/operations.ts';
import { parseRequest, type RawAnswer, type RawRequest, writeAnswer, writeError } from './codec/wire.ts';
import { instanceHandlers } from './ec2/instance-handlers.ts';
import { launchTemplateHandlers } from './ec2/launch-template-handlers.ts';
import { networkHandlers } from './ec2/network-handlers.ts';
import { securityGroupHandlers } from './ec2/security-group-handlers.ts';
import { eksHandlers } from './eks/handlers.ts';
import { eksUpdateHandlers } from './eks/update-handlers.ts';
import { listenerHandlers } from './elbv2/listener-handlers.ts';
import { loadBalancerHandlers } from './elbv2/load-balancer-handlers.ts';
import { targetGroupHandlers } from './elbv2/target-group-handlers.ts';
import { targetHandlers } from './elbv2/target-handlers.ts';
import { answerDelay, injectedError } from './faults.ts';
import { answerUnmodelled, unknownAction } from './unmodelled.ts';
import type { World } from './world.ts';

/** One call in the log. */
export interface LoggedCall {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `ec2`, `autoscaling`, `eks`, `elbv2`, or the signed name of a service without a model. */
  readonly service: string;
  readonly action: string;
  /** `ok`, or the error's code. */
  readonly outcome: string;
  /** The caller's user agent, which tells one client from another. */
  readonly userAgent: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type Handler = (input: never) => object;

function allHandlers(world: World): Readonly<Record<ServiceName, Readonly<Record<string, Handler>>>> {
  return {
    autoscaling: autoScalingHandlers(world),
    ec2: {
      ...instanceHandlers(world),
      ...launchTemplateHandlers(world),
      ...networkHandlers(world),
      ...securityGroupHandlers(world),
    },
    eks: { ...eksHandlers(world), ...eksUpdateHandlers(world) },
    elbv2: {
      ...listenerHandlers(world),
      ...loadBalancerHandlers(world),
      ...targetGroupHandlers(world),
      ...targetHandlers(world),
    },
  };
}

/** A response, and how many milliseconds late it must be sent. */
interface Dispatched {
  readonly answer: RawAnswer;
  readonly delayMs: number;
}

/** Creates the function that answers requests: parse, apply faults, handle, write, log. */
export function createDispatcher(world: World, log: LoggedCall[]) {
  const handlers = allHandlers(world);
  return (raw: RawRequest, userAgent: string, requestId: string): Dispatched => {
    const request = parseRequest(raw);
    const service = request.kind === 'operation' ? request.operation.service : request.service;
    const action = request.kind === 'operation' ? request.operation.name : request.action;
    const input = request.kind === 'operation' ? request.input : {};
    const call = { service, action, userAgent };
    const delayMs = answerDelay(world.faults, call);
    const finish = (outcome: string, answer: RawAnswer): Dispatched => {
      log.push({ at: world.clock.now(), service, action, outcome, userAgent, input });
      return { answer, delayMs };
    };
    try {
      const injected = injectedError(world.faults, world.random, call);
      if (injected !== undefined) throw injected;
      if (request.kind === 'unmodelled') return finish('ok', answerUnmodelled(request, requestId));
      const handler = handlers[request.operation.service][action];
      if (handler === undefined) throw unknownAction({ service, action });
      // The input was read by the operation's own schema, which is what the handler's parameter type describes.
      return finish('ok', writeAnswer(request, handler(input as never), requestId));
    } catch (error) {
      const known = error instanceof AwsError ? error : new AwsError('InternalFailure', String(error), 500);
      return finish(known.code, writeError(request.protocol, known, requestId));
    }
  };
}
