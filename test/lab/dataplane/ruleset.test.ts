import { describe, expect, it } from 'vitest';
import type { ForwardingRule } from '../../../lab/contracts.ts';
import { nodeRoutes } from '../../../lab/dataplane/passthrough.ts';
import { changeListeners, type Listeners, renderTable } from '../../../lab/dataplane/ruleset.ts';
import { createSteering } from '../../../lab/dataplane/steering.ts';

const VIPS = '10.0.200.0/24';
const table = 'ip nodeferry-nlb';
const none: Listeners = new Map();
const steering = createSteering();
const one = [rule('10.0.200.1', ['10.0.1.11', '10.0.2.11'])];

describe('the listeners of the data plane', () => {
  it('send a new connection to one of their targets by the client’s address and port', () => {
    expect(changeListeners(none, one, 1, steering).transactions).toEqual([
      `add chain ${table} to_10_0_200_1_80_1\n` +
        `add rule ${table} to_10_0_200_1_80_1 ` +
        'dnat ip to jhash ip saddr . tcp sport mod 2 map { 0 : 10.0.1.11 . 30080, 1 : 10.0.2.11 . 30080 }\n',
      `add element ${table} listeners { 10.0.200.1 . 80 : goto to_10_0_200_1_80_1 }\n`,
    ]);
  });

  it('translate the source too where they are those of a proxy', () => {
    const [make, lead] = changeListeners(
      none,
      one.map((web) => ({ ...web, mode: 'proxy' })),
      1,
      steering,
    ).transactions;
    expect(make).toContain(
      'to_10_0_200_1_80_1 ct mark set 3 dnat ip to jhash ip saddr . tcp sport mod 2 map { 0 : 10.0.1.11 . 30080',
    );
    expect(lead).toContain(`add element ${table} listeners {`);
    expect(renderTable(VIPS)).toContain('    ct mark 3 masquerade\n');
  });

  it('get new chains before anything leads there, and lose the old ones after nothing does', () => {
    const { listeners } = changeListeners(none, one, 1, steering);
    const [make, lead, clear] = changeListeners(
      listeners,
      [rule('10.0.200.1', ['10.0.1.11'])],
      2,
      steering,
    ).transactions;
    expect(make).toContain(`add chain ${table} to_10_0_200_1_80_2\n`);
    expect(lead).toBe(
      `delete element ${table} listeners { 10.0.200.1 . 80 : goto to_10_0_200_1_80_1 }\n` +
        `add element ${table} listeners { 10.0.200.1 . 80 : goto to_10_0_200_1_80_2 }\n`,
    );
    expect(clear).toBe(`flush chain ${table} to_10_0_200_1_80_1\ndelete chain ${table} to_10_0_200_1_80_1\n`);
  });

  it('stay as they are when others change, or nothing does', () => {
    const { listeners } = changeListeners(none, one, 1, steering);
    expect(changeListeners(listeners, one, 2, steering)).toEqual({ transactions: [], listeners });
    const more = changeListeners(listeners, [...one, rule('10.0.200.2', ['10.0.2.11'])], 2, steering);
    expect(more.transactions.join('')).not.toContain('10_0_200_1');
    expect([...more.listeners.values()].map(({ chain }) => chain)).toEqual([
      'to_10_0_200_1_80_1',
      'to_10_0_200_2_80_2',
    ]);
  });

  it('go when they have no target left, to the rule that drops what has none', () => {
    const { listeners } = changeListeners(none, one, 1, steering);
    const left = changeListeners(listeners, [rule('10.0.200.1', [])], 2, steering);
    expect(left.transactions[0]).toBe(
      `delete element ${table} listeners { 10.0.200.1 . 80 : goto to_10_0_200_1_80_1 }\n`,
    );
    expect(left.listeners.size).toBe(0);
    expect(renderTable(VIPS)).toContain(`ip daddr ${VIPS} drop`);
  });

  it('refuse two rules for the same address and port', () => {
    const twice = [rule('10.0.200.1', ['10.0.1.11']), rule('10.0.200.1', ['10.0.1.12'])];
    expect(() => changeListeners(none, twice, 1, steering)).toThrow('two forwarding rules for 10.0.200.1:80');
  });
});

describe('listeners that pass packets through', () => {
  const web = { ...rule('10.0.201.1', ['10.0.1.11', '10.0.2.11']), mode: 'passthrough' as const };

  it('send what the client’s address and port choose to a node, and leave the packet as it is', () => {
    expect(changeListeners(none, [web], 1, createSteering()).transactions).toEqual([
      `add chain ${table} to_10_0_201_1_80_1\n` +
        `add rule ${table} to_10_0_201_1_80_1 ` +
        'meta mark set jhash ip saddr . tcp sport mod 2 map { 0 : 1, 1 : 2 } goto record\n',
      `add element ${table} passthrough { 10.0.201.1 . 80 : goto to_10_0_201_1_80_1 }\n`,
    ]);
  });

  it('mark later connections otherwise when those so far are broken, of that listener and that node only', () => {
    const own = createSteering();
    const other = { ...web, port: 81 };
    changeListeners(none, [web, other], 1, own);
    expect(own.renew({ vip: '10.0.201.1', port: 80, targetIp: '10.0.1.11' })).toBe(1);
    const [make = ''] = changeListeners(none, [web, other], 2, own).transactions;
    expect([...make.matchAll(/map \{ (.*) \}/g)].map(([, map]) => map)).toEqual([
      `0 : ${0x1_0001}, 1 : 2`,
      '0 : 1, 1 : 2',
    ]);
    expect(own.renew({ vip: '10.0.201.1', port: 80, targetIp: '10.0.1.11' })).toBe(0x1_0001);
    expect(own.renew({ vip: '10.0.200.1', port: 80, targetIp: '10.0.1.11' })).toBeUndefined();
  });

  it('route to each node what has its number, whatever else the packets say', () => {
    expect(nodeRoutes([['10.0.1.11', 1]])).toEqual([
      'route replace default via 10.0.1.11 table 1001',
      'rule add fwmark 1/65535 lookup 1001 priority 100',
    ]);
  });
});

it('the table is made anew within one transaction', () => {
  const lines = renderTable(VIPS).split('\n');
  const deletion = lines.indexOf(`delete table ${table}`);
  expect(lines.slice(0, deletion)).toEqual([`table ${table} {`, '}']);
  expect(lines[deletion + 1]).toBe(`table ${table} {`);
});

function rule(vip: string, ips: readonly string[]): ForwardingRule {
  const targets = ips.map((ip) => ({ instanceId: `i-${ip}`, ip, port: 30080 }));
  return { loadBalancerName: 'web', dnsName: 'web.example.com', zone: 'eu-west-1a', vip, port: 80, targets };
}
