import { describe, expect, it } from 'vitest';
import {
  clientAddresses,
  fabricPort,
  freeNodeNumber,
  hardwareAddress,
  instanceNamespace,
  podSubnet,
} from '../../../lab/network-plan.ts';

describe('network plan', () => {
  it('gives the prober sixteen source addresses of the client subnet', () => {
    const addresses = clientAddresses();
    expect(new Set(addresses).size).toBe(16);
    expect(addresses.at(0)).toBe('10.9.0.10');
    expect(addresses.at(-1)).toBe('10.9.0.25');
  });

  it('names the namespace of an instance so that clean-up finds it', () => {
    expect(instanceNamespace('i-0123456789abcdef0')).toBe('nf-i-0123456789abcdef0');
  });

  it('keeps interface names within the kernel limit of 15 characters and apart from each other', () => {
    const ports = ['10.0.1.11', '10.0.11.1', '10.0.255.254'].map(fabricPort);
    expect(new Set(ports).size).toBe(3);
    for (const port of ports) expect(port.length).toBeLessThanOrEqual(15);
  });

  it('derives one locally administered unicast hardware address from each address', () => {
    expect(hardwareAddress('10.0.1.11')).toBe('02:00:0a:00:01:0b');
  });

  it('refuses what is no IPv4 address', () => {
    for (const wrong of ['10.0.1', '10.0.1.256', '10.0.1.x', '10.0.1.2.3', '']) {
      expect(() => hardwareAddress(wrong)).toThrow(/not an IPv4 address/);
    }
  });

  it('gives a new node the lowest pod subnet that no living node has', () => {
    expect(freeNodeNumber(new Set())).toBe(1);
    expect(freeNodeNumber(new Set([1, 2, 4]))).toBe(3);
    expect(podSubnet(3)).toBe('10.244.3.0/24');
  });

  it('says so when all pod subnets are taken', () => {
    expect(() => freeNodeNumber(new Set(Array.from({ length: 250 }, (_, n) => n + 1)))).toThrow(/room for 250 nodes/);
  });
});
