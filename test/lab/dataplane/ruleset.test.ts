import { describe, expect, it } from 'vitest';
import type { ForwardingRule } from '../../../lab/contracts.ts';
import { renderRuleset } from '../../../lab/dataplane/ruleset.ts';

const VIPS = '10.0.200.0/24';

describe('the rules of the data plane', () => {
  it('send a new connection to one of the listener’s targets by the client’s address and port', () => {
    const rules = renderRuleset([rule('10.0.200.1', ['10.0.1.11', '10.0.2.11'])], VIPS);
    expect(rules).toContain(
      'dnat ip to jhash ip saddr . tcp sport mod 2 map { 0 : 10.0.1.11 . 30080, 1 : 10.0.2.11 . 30080 }',
    );
    expect(rules).toContain('ip daddr . tcp dport vmap { 10.0.200.1 . 80 : goto to_10_0_200_1_80 }');
  });

  it('give every listener a chain of its own', () => {
    const rules = renderRuleset([rule('10.0.200.1', ['10.0.1.11']), rule('10.0.200.2', ['10.0.2.11'])], VIPS);
    expect(rules).toContain('{ 10.0.200.1 . 80 : goto to_10_0_200_1_80, 10.0.200.2 . 80 : goto to_10_0_200_2_80 }');
    expect(rules).toContain('chain to_10_0_200_1_80 {');
    expect(rules).toContain('chain to_10_0_200_2_80 {');
  });

  it('leave a listener without targets to the rule that drops what has none', () => {
    const rules = renderRuleset([rule('10.0.200.1', [])], VIPS);
    expect(rules).not.toContain('10.0.200.1');
    expect(rules).not.toContain('vmap');
    expect(rules).toContain(`ip daddr ${VIPS} drop`);
  });

  it('replace the table as a whole within one transaction', () => {
    const lines = renderRuleset([rule('10.0.200.1', ['10.0.1.11'])], VIPS).split('\n');
    const deletion = lines.indexOf('delete table ip nodeferry-nlb');
    expect(lines.slice(0, deletion)).toEqual(['table ip nodeferry-nlb {', '}']);
    expect(lines[deletion + 1]).toBe('table ip nodeferry-nlb {');
  });

  it('refuse two rules for the same address and port', () => {
    const twice = [rule('10.0.200.1', ['10.0.1.11']), rule('10.0.200.1', ['10.0.1.12'])];
    expect(() => renderRuleset(twice, VIPS)).toThrow('two forwarding rules for 10.0.200.1:80');
  });
});

function rule(vip: string, ips: readonly string[]): ForwardingRule {
  const targets = ips.map((ip) => ({ instanceId: `i-${ip}`, ip, port: 30080 }));
  return { loadBalancerName: 'web', dnsName: 'web.example.com', zone: 'eu-west-1a', vip, port: 80, targets };
}
