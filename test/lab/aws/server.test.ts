import { mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DescribeAccountLimitsCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeVolumesCommand } from '@aws-sdk/client-ec2';
import { ListAddonsCommand, ListNodegroupsCommand } from '@aws-sdk/client-eks';
import { expect, test } from 'vitest';
import { startCloud } from './support.ts';

/** A signed form request, as clients without an SDK package here send them. */
async function call(url: string, service: string, body: string): Promise<{ status: number; body: string }> {
  const credential = `AKIDEXAMPLE/20300101/eu-west-1/${service}/aws4_request`;
  const headers = {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const answer = await fetch(url, { method: 'POST', headers, body });
  return { status: answer.status, body: await answer.text() };
}

test('an action that nobody wrote is refused by name and logged', async () => {
  const { ec2, eks, autoScaling, aws } = await startCloud();
  const refused = { name: 'InvalidAction', message: expect.stringContaining('not valid') };
  await expect(ec2.send(new DescribeVolumesCommand({}))).rejects.toMatchObject(refused);
  await expect(autoScaling.send(new DescribeAccountLimitsCommand({}))).rejects.toMatchObject(refused);
  await expect(eks.send(new ListAddonsCommand({ clusterName: 'lab' }))).rejects.toMatchObject(refused);
  expect(aws.requests.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
    'DescribeVolumes InvalidAction',
    'DescribeAccountLimits InvalidAction',
    'ListAddons InvalidAction',
  ]);
});

test('the log tells when, who, what and with which outcome', async () => {
  const { eks, aws, clock } = await startCloud();
  clock.advance(1_000);
  await eks.send(new ListNodegroupsCommand({ clusterName: 'lab' }));
  expect(aws.requests).toMatchObject([
    {
      at: clock.now(),
      service: 'eks',
      action: 'ListNodegroups',
      outcome: 'ok',
      userAgent: expect.stringContaining('aws-sdk-js'),
      input: { clusterName: 'lab' },
    },
  ]);
});

test('a caller can ask who it is', async () => {
  const { aws } = await startCloud();
  const answer = await call(aws.url, 'sts', 'Action=GetCallerIdentity&Version=2011-06-15');
  expect(answer.status).toBe(200);
  expect(answer.body).toContain('<Account>111122223333</Account>');
});

test('there are no classic load balancers, and none can be made', async () => {
  const { aws } = await startCloud();
  const classic = (action: string) => call(aws.url, 'elasticloadbalancing', `Action=${action}&Version=2012-06-01`);
  expect(await classic('DescribeLoadBalancers')).toEqual({
    status: 200,
    body: expect.stringContaining('<LoadBalancerDescriptions></LoadBalancerDescriptions>'),
  });
  expect(await classic('CreateLoadBalancer')).toEqual({
    status: 400,
    body: expect.stringContaining('<Code>InvalidAction</Code>'),
  });
});

test('the same cloud answers on a unix socket, in place of one that was left over', async () => {
  const socketPath = join(mkdtempSync(join(tmpdir(), 'simulated-aws-')), 'aws.sock');
  const first = await startCloud({ socketPath });
  await first.aws.close();
  const { aws } = await startCloud({ socketPath });
  const body = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: 'Credential=AKIDEXAMPLE/20300101/eu-west-1/eks/aws4_request' };
    const sent = request({ socketPath, path: '/clusters/lab', headers }, (answer) => {
      text(answer).then(resolve, reject);
    });
    sent.once('error', reject).end();
  });
  expect(JSON.parse(body)).toMatchObject({ cluster: { name: 'lab', status: 'ACTIVE' } });
  expect(aws.requests).toHaveLength(1);
});

test('a listener hears of changes until it leaves', async () => {
  const { aws, clock } = await startCloud({
    nodegroups: [{ name: 'web', version: '1.35', instanceType: 't3.small', size: 1 }],
  });
  let changes = 0;
  const leave = aws.onChange(() => {
    changes += 1;
  });
  clock.advance(0);
  expect(changes).toBeGreaterThan(0);
  leave();
  const before = changes;
  aws.seedNodegroup({ name: 'more', version: '1.35', instanceType: 't3.small', size: 1 });
  expect(changes).toBe(before);
});
