import { AwsError } from './codec/errors.ts';
import { queryResult, type RawAnswer, type UnmodelledRequest } from './codec/wire.ts';
import { ACCOUNT_ID } from './world.ts';

const identity = [
  '<UserId>AIDACKCEVSQ6C2EXAMPLE</UserId>',
  `<Account>${ACCOUNT_ID}</Account>`,
  `<Arn>arn:aws:iam::${ACCOUNT_ID}:user/lab</Arn>`,
].join('');

/** Responses of APIs that have no SDK package here: the caller's identity, and that there is no classic load balancer. */
const answers: Readonly<Record<string, string>> = {
  'sts GetCallerIdentity': identity,
  'elasticloadbalancing DescribeLoadBalancers': '<LoadBalancerDescriptions></LoadBalancerDescriptions>',
  'elasticloadbalancing DescribeTags': '<TagDescriptions></TagDescriptions>',
};

/** Answers a request that no schema describes, or refuses it. */
export function answerUnmodelled(request: UnmodelledRequest, requestId: string): RawAnswer {
  const members = answers[`${request.service} ${request.action}`];
  if (members === undefined) throw unknownAction(request);
  const { action } = request;
  const body = `<${action}Response>${queryResult(action, members, requestId)}</${action}Response>`;
  return { status: 200, headers: { 'content-type': 'text/xml' }, body };
}

/** The error of services for an action that they don't know (EC2 API reference, "Error codes"; "Common errors" of the others). */
export function unknownAction(request: { readonly service: string; readonly action: string }): AwsError {
  return new AwsError('InvalidAction', `The action ${request.action} is not valid for ${request.service} here.`);
}
