import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { DescribeNodegroupCommand, EKSClient } from '@aws-sdk/client-eks';
import { DescribeTargetHealthCommand, ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterEach, describe, expect, test } from 'vitest';
import { awsClientConfig } from '../../../adapters/aws/client-config.ts';
import { callEks } from '../../../adapters/eks/errors.ts';
import { callElb } from '../../../adapters/elb/errors.ts';
import type { NodeferryError } from '../../../core/model/problem.ts';

interface RecordedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

let close = () => {};
afterEach(() => close());

/** Serves one answer, as AWS sent it, to every request. */
async function serve(answer: RecordedAnswer): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(answer.status, answer.headers).end(answer.body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const eksError = (status: number, type: string, message: string, headers: Record<string, string> = {}) => ({
  status,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': type, ...headers },
  body: JSON.stringify({ message }),
});
const queryError = (status: number, code: string, message: string) => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`,
});
const ec2Error = (status: number, code: string, message: string) => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>r</RequestID></Response>`,
});

async function errorOf(promise: Promise<unknown>): Promise<NodeferryError> {
  return promise.then(
    () => Promise.reject(new Error('was not refused')),
    (error: NodeferryError) => error,
  );
}

const config = (endpoint: string) => ({
  ...awsClientConfig('eu-west-1', { maxAttempts: 1 }),
  endpoint,
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
});
const describeNodegroup = (endpoint: string) =>
  callEks('eks:DescribeNodegroup', 'pool prod/web', () =>
    new EKSClient(config(endpoint)).send(new DescribeNodegroupCommand({ clusterName: 'prod', nodegroupName: 'web' })),
  );

describe('errors of EKS', () => {
  test.each([
    ['ResourceNotFoundException', 404, 'PoolNotFound'],
    ['ResourceInUseException', 409, 'Conflict'],
    ['ThrottlingException', 429, 'Throttled'],
    ['TooManyRequestsException', 429, 'Throttled'],
    ['AccessDeniedException', 403, 'Forbidden'],
    ['UnrecognizedClientException', 400, 'Forbidden'],
    ['ExpiredTokenException', 400, 'Forbidden'],
    ['ServerException', 500, 'ProviderUnavailable'],
    ['ServiceUnavailableException', 503, 'ProviderUnavailable'],
    ['InvalidParameterException', 400, 'ProviderRefused'],
    ['ResourceLimitExceededException', 400, 'ProviderRefused'],
  ])('%s (%i) becomes %s', async (type, status, code) => {
    const error = await errorOf(describeNodegroup(await serve(eksError(status, type, 'as AWS says'))));

    expect(error.problem.code).toBe(code);
    expect(error.problem.message).toBe(`pool prod/web: eks:DescribeNodegroup: ${type}: as AWS says`);
  });

  test('a forbidden call names the IAM action that is missing', async () => {
    const error = await errorOf(describeNodegroup(await serve(eksError(403, 'AccessDeniedException', 'no'))));

    expect(error.problem.hint).toContain('eks:DescribeNodegroup');
  });

  test('a throttled call carries the time that AWS asked to wait', async () => {
    const answer = eksError(429, 'ThrottlingException', 'slow down', { 'retry-after': '7' });

    expect((await errorOf(describeNodegroup(await serve(answer)))).retryAfterMs).toBe(7_000);
  });

  test('a body that is no answer of EKS is unavailable, whatever it is', async () => {
    const error = await errorOf(describeNodegroup(await serve({ status: 502, body: '<html>Bad gateway</html>' })));

    expect(error.problem.code).toBe('ProviderUnavailable');
  });
});

test.each([
  ['RequestLimitExceeded', 503, 'Throttled'],
  ['UnauthorizedOperation', 403, 'Forbidden'],
  ['InsufficientInstanceCapacity', 400, 'CapacityUnavailable'],
  ['InternalError', 500, 'ProviderUnavailable'],
  ['InvalidInstanceID.Malformed', 400, 'ProviderRefused'],
])('EC2: %s (%i) becomes %s', async (name, status, code) => {
  const endpoint = await serve(ec2Error(status, name, 'as AWS says'));
  const send = () => new EC2Client(config(endpoint)).send(new DescribeInstancesCommand({}));

  expect((await errorOf(callEks('ec2:DescribeInstances', 'x', send))).problem.code).toBe(code);
});

test.each([
  ['Throttling', 400, 'Throttled'],
  ['ScalingActivityInProgress', 400, 'Conflict'],
  ['ResourceContention', 500, 'ProviderUnavailable'],
  ['ValidationError', 400, 'ProviderRefused'],
])('Auto Scaling: %s (%i) becomes %s', async (name, status, code) => {
  const endpoint = await serve(queryError(status, name, 'as AWS says'));
  const send = () => new AutoScalingClient(config(endpoint)).send(new DescribeAutoScalingGroupsCommand({}));

  expect((await errorOf(callEks('autoscaling:DescribeAutoScalingGroups', 'x', send))).problem.code).toBe(code);
});

test.each([
  ['TargetGroupNotFound', 400, 'Conflict'],
  ['Throttling', 400, 'Throttled'],
  ['AccessDenied', 403, 'Forbidden'],
  ['ValidationError', 400, 'ProviderRefused'],
])('ELB: %s (%i) becomes %s', async (name, status, code) => {
  const endpoint = await serve(queryError(status, name, 'as AWS says'));
  const send = () =>
    new ElasticLoadBalancingV2Client(config(endpoint)).send(
      new DescribeTargetHealthCommand({ TargetGroupArn: 'arn:aws:elasticloadbalancing:x' }),
    );

  expect((await errorOf(callElb('elasticloadbalancing:DescribeTargetHealth', 'x', send))).problem.code).toBe(code);
});

test('a call without credentials is told apart from one with some that are refused', async () => {
  const failed = async (error: Error) =>
    await callEks('eks:DescribeNodegroup', 'pool prod/web', async () => {
      throw error;
    }).catch((caught: unknown) => caught as NodeferryError);
  const missing = Object.assign(new Error('Could not load credentials from any providers'), {
    name: 'CredentialsProviderError',
  });
  expect(await failed(missing)).toMatchObject({ problem: { code: 'Forbidden' }, lacksCredentials: true });
  const denied = Object.assign(new Error('no'), { name: 'AccessDeniedException', $metadata: { httpStatusCode: 403 } });
  expect(await failed(denied)).toMatchObject({ problem: { code: 'Forbidden' }, lacksCredentials: false });
});
