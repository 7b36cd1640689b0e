import { NodeferryError, type ProblemCode } from '../../core/model/problem.ts';
import { type AwsCall, readAwsError, toNodeferryError } from '../aws/errors.ts';

interface Explanation {
  readonly code: ProblemCode;
  readonly hint: string;
}

const conflict: Explanation = {
  code: 'Conflict',
  hint: 'Another change of the same node group is in progress (one at a time is allowed); the call is tried again later.',
};

const capacity: Explanation = {
  code: 'CapacityUnavailable',
  hint: 'AWS has no capacity for more instances there now: allow more instance types or zones, raise the quota, or wait.',
};

/**
 * Errors that only EKS, Auto Scaling or EC2 can explain (the "Errors" of each operation in their API references; EC2 API reference, "Error codes").
 * Names with and without `Fault` are the two spellings that SDKs have used.
 */
const explanations: Readonly<Record<string, Explanation>> = {
  ResourceNotFoundException: {
    code: 'PoolNotFound',
    hint: 'Check the cluster name, the node group name and the region of the policy.',
  },
  ResourceInUseException: conflict,
  ResourceContention: conflict,
  ResourceContentionFault: conflict,
  ScalingActivityInProgress: conflict,
  ScalingActivityInProgressFault: conflict,
  InsufficientInstanceCapacity: capacity,
  InsufficientFreeAddressesInSubnet: capacity,
  InstanceLimitExceeded: capacity,
  VcpuLimitExceeded: capacity,
  ResourceLimitExceededException: {
    code: 'ProviderRefused',
    hint: 'A quota of the account is used up (node groups per cluster, nodes per node group): raise it or remove what is not needed.',
  },
};

/** Permissions that node groups with a customer's launch template need beyond our own calls (EKS user guide, "Launch templates"). */
const launchHint =
  'A node group with a launch template needs ec2:RunInstances, ec2:CreateTags and ec2:DescribeLaunchTemplateVersions: grant them to the role that nodeferry runs under (deploy/iam/policy.json).';

/** Whoever creates the node group may not launch from its template. Nothing was created. */
export function mayNotLaunch(error: unknown, { action, subject }: AwsCall): NodeferryError {
  const { name, message } = readAwsError(error);
  return new NodeferryError(
    { code: 'Forbidden', message: `${subject}: ${action}: ${name}: ${message}`, hint: launchHint },
    { cause: error },
  );
}

/** Only the message of the error distinguishes this case (EKS user guide, "Not authorized for launch template"). */
function isLaunchRefusal(error: unknown): boolean {
  const { name, message } = readAwsError(error);
  return name === 'InvalidRequestException' && /not authorized to launch instances/i.test(message);
}

/** Converts an error of EKS, Auto Scaling or EC2 into a NodeferryError that names the call and its IAM action. */
export function translateEksError(error: unknown, call: AwsCall): NodeferryError {
  if (isLaunchRefusal(error)) return mayNotLaunch(error, call);
  const known = explanations[readAwsError(error).name];
  return toNodeferryError(error, call, known?.code, known?.hint);
}

/** Makes a call and translates the error that it throws. */
export async function callEks<T>(action: string, subject: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw translateEksError(error, { action, subject });
  }
}

/** Health issues of a node group which mean that AWS could not supply instances (EKS API reference, Issue). */
const capacityIssues = new Set([
  'AsgInstanceLaunchFailures',
  'AutoScalingGroupRateLimitExceeded',
  'InstanceLimitExceeded',
  'InsufficientFreeAddresses',
  'LimitExceeded',
]);

/** True when a problem of a pool, as worded by describePool, means missing capacity. */
export function isCapacityProblem(problem: string): boolean {
  return capacityIssues.has(problem.split(':', 1)[0] ?? '');
}
