import { expect, test } from 'vitest';
import { nameIn } from '../../../adapters/elb/find-behind.ts';

test.each([
  ['k8s-web-0a1b2c3d4e5f6071.elb.eu-west-1.amazonaws.com', 'k8s-web'],
  ['a0123456789abcdef0123456789abcde-0a1b2c3d4e5f6071.elb.eu-west-1.amazonaws.com', 'a0123456789abcdef0123456789abcde'],
  ['internal-My-ALB-1234567890.us-gov-west-1.elb.amazonaws.com', 'My-ALB'],
  ['web-1234567890.cn-north-1.elb.amazonaws.com.cn', 'web'],
])('the address %s tells the name %s', (address, name) => {
  expect(nameIn(address)).toBe(name);
});

test.each(['10.0.0.7', 'web.elb.example', 'web.example.com', 'elb.eu-west-1.amazonaws.com'])(
  'the address %s tells no name',
  (address) => {
    expect(nameIn(address)).toBeUndefined();
  },
);
