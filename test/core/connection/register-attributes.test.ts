import { describe, expect, test } from 'vitest';
import { registrationCommand, replacementCommand } from '../../../core/connection/register-attributes.ts';
import { searchAttributes } from '../../../workflows/messages.ts';

const { phase, stalled } = searchAttributes;

describe('the command that registers search attributes', () => {
  test.each(['localhost:7233', 'temporal.example.com:7233', 'api.temporal.io.example.com:7233', 'nottmprl.cloud'])(
    'is that of temporal for %s',
    (address) => {
      expect(registrationCommand({ address, namespace: 'prod' }, [phase, stalled])).toBe(
        'temporal operator search-attribute create --namespace prod --name NodeferryPhase --type Keyword --name NodeferryStalled --type Bool',
      );
    },
  );

  test.each(['prod.a1b2c.tmprl.cloud:7233', 'eu-west-1.aws.api.temporal.io:7233', 'PROD.A1B2C.TMPRL.CLOUD'])(
    'is that of tcld for %s, because Temporal Cloud rejects the other',
    (address) => {
      expect(registrationCommand({ address, namespace: 'prod.a1b2c' }, [phase, stalled])).toBe(
        'tcld namespace search-attributes add --namespace prod.a1b2c --search-attribute "NodeferryPhase=Keyword" --search-attribute "NodeferryStalled=Bool"',
      );
    },
  );

  test('renames an attribute of another type on Temporal Cloud, which cannot remove it', () => {
    const place = { address: 'prod.a1b2c.tmprl.cloud:7233', namespace: 'prod.a1b2c' };

    expect(replacementCommand(place, stalled)).toMatch(
      /^tcld .* rename .* --existing-name NodeferryStalled --new-name NodeferryStalledBefore && tcld .* add /,
    );
  });
});
