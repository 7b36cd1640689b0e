import type { Problem } from '../model/problem.ts';
import { printable } from '../text/printable.ts';

/** Port of a Temporal server where the address names none; both SDKs take it. */
export const defaultTemporalPort = 7233;

/** Why a place on the network can't be spoken to, as far as it can be seen from here. */
export interface EndpointFault {
  readonly kind:
    | 'no-such-host'
    | 'refused'
    | 'unreachable'
    | 'silent'
    | 'unknown-authority'
    | 'other-name'
    | 'expired'
    | 'wants-client-certificate'
    | 'speaks-no-tls'
    | 'speaks-tls'
    | 'speaks-other'
    | 'tls-failed';
  /** What the system said about it. */
  readonly detail: string;
}

const asTheCli =
  'TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS_* are read as by the temporal CLI.';

const explanations: Readonly<Record<EndpointFault['kind'], { readonly what: string; readonly fix: string }>> = {
  'no-such-host': {
    what: 'the host name is not known',
    fix: `Correct TEMPORAL_ADDRESS, or the name service. ${asTheCli}`,
  },
  refused: {
    what: 'nothing listens there',
    fix: `Start one with \`nodeferry dev\`, or correct TEMPORAL_ADDRESS. ${asTheCli}`,
  },
  unreachable: {
    what: 'the host can not be reached',
    fix: `Check the network in between, or correct TEMPORAL_ADDRESS. ${asTheCli}`,
  },
  silent: {
    what: 'no answer came',
    fix: `Check firewalls in between, and whether it is a Temporal frontend (gRPC), not its web UI. ${asTheCli}`,
  },
  'unknown-authority': {
    what: 'its certificate was signed by an authority that is not known here',
    fix: "Name the authority's certificate in TEMPORAL_TLS_SERVER_CA_CERT_PATH.",
  },
  'other-name': {
    what: 'its certificate is for another name',
    fix: 'Put the name in the certificate into TEMPORAL_TLS_SERVER_NAME, or use an address that is in it.',
  },
  expired: { what: 'its certificate is not valid now', fix: 'Renew it, or set the clock of this host.' },
  'wants-client-certificate': {
    what: 'it asks for a client certificate that it knows',
    fix: 'Name yours in TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.',
  },
  'speaks-no-tls': {
    what: 'TLS was spoken to it, and it does not speak TLS',
    fix: 'Leave TEMPORAL_TLS_* and TEMPORAL_API_KEY away (an API key switches TLS on), set TEMPORAL_TLS=false, or take the port that speaks TLS.',
  },
  'speaks-tls': {
    what: 'it speaks TLS, and was not spoken to in TLS',
    fix: 'Set TEMPORAL_TLS=true, or TEMPORAL_API_KEY, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.',
  },
  'speaks-other': {
    what: 'what listens there does not speak gRPC',
    fix: 'Name the frontend of Temporal, usually port 7233, not its web UI or metrics.',
  },
  'tls-failed': {
    what: 'no TLS connection came about',
    fix: 'Check TEMPORAL_TLS_* and the certificates that they name.',
  },
};

/** A Temporal server that can't be connected to, and why; without a fault, what the SDK said itself. */
export function explainConnection(address: string, fault: EndpointFault | undefined, said: string): Problem {
  const where = `No Temporal server answers at ${printable(address)}`;
  if (fault === undefined) {
    return { code: 'TemporalUnreachable', message: `${where}: ${printable(firstLine(said), 200)}.`, hint: asTheCli };
  }
  const { what, fix } = explanations[fault.kind];
  const detail = fault.detail === '' ? '' : ` (${printable(firstLine(fault.detail), 200)})`;
  return { code: 'TemporalUnreachable', message: `${where}: ${what}${detail}.`, hint: fix };
}

/** What is wrong with an address before anything is asked; undefined for one that may be tried. */
export function explainAddress(address: string): Problem | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[0];
  const bare = scheme === undefined ? address : address.slice(scheme.length).replace(/\/.*$/, '');
  const isPlace = /^(?:\[[0-9a-f:.]+\]|[^\s:/[\]@]+)(?::\d{1,5})?$/i.test(bare);
  if (scheme === undefined && isPlace && Number(/:(\d+)$/.exec(bare)?.[1] ?? 1) <= 65_535) return undefined;
  const example =
    isPlace && bare !== ''
      ? `${bare}${/:\d+$/.test(bare) ? '' : `:${defaultTemporalPort}`}`
      : 'temporal.example.com:7233';
  return {
    code: 'InvalidArgument',
    message: `TEMPORAL_ADDRESS is '${printable(address.replace(/[^/]*@/, '…@'))}', which is not HOST:PORT.`,
    hint: `Write it without a scheme, for example ${printable(example)}; TLS is switched on by TEMPORAL_TLS=true or TEMPORAL_API_KEY.`,
  };
}

/** The settings of the connection could not be read: a file that is not there, an unknown profile, TOML that is none. */
export function explainSettings(said: string): Problem {
  const profile = /Profile '(.*)' not found/.exec(said)?.[1];
  if (profile !== undefined) {
    return {
      code: 'InvalidArgument',
      message: `TEMPORAL_PROFILE names '${printable(profile)}', and the configuration file of Temporal has no such profile.`,
      hint: 'List its profiles: temporal config list. Or name another file in TEMPORAL_CONFIG_FILE.',
    };
  }
  return {
    code: 'InvalidArgument',
    message: `The settings of the connection to Temporal can't be read: ${printable(firstLine(said), 200)}`,
    hint: 'Correct the file that TEMPORAL_CONFIG_FILE or TEMPORAL_TLS_* names (default: temporalio/temporal.toml in the user’s configuration directory).',
  };
}

/** A call that the server refused. */
interface RefusedCall {
  /** Number of the gRPC status. */
  readonly code: number;
  readonly details: string;
}

/** gRPC status codes (grpc/grpc, doc/statuscodes.md). */
const grpc = { invalidArgument: 3, notFound: 5, permissionDenied: 7, unauthenticated: 16 } as const;

/** What a refused call says about how this process is set up; undefined where it is about something else. */
export function explainRefusal(
  { address, namespace }: { readonly address: string; readonly namespace: string },
  { code, details }: RefusedCall,
): Problem | undefined {
  const said = printable(firstLine(details), 200);
  if (code === grpc.notFound && /namespace .*not found/i.test(details)) return unknownNamespace(address, namespace);
  if (code === grpc.unauthenticated || code === grpc.permissionDenied) {
    return {
      code: 'Forbidden',
      message: `Temporal at ${printable(address)} refuses this caller in namespace ${printable(namespace)}: ${said}`,
      hint: 'Check TEMPORAL_API_KEY, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, and whether they may use this namespace.',
    };
  }
  if (code === grpc.invalidArgument && /search attribute/i.test(details)) {
    return {
      code: 'InvalidArgument',
      message: `Namespace ${printable(namespace)} does not know the search attributes of nodeferry: ${said}`,
      hint: 'Register them: a worker that is started for this namespace prints the command. `nodeferry dev` and docker compose do it by themselves.',
    };
  }
  return undefined;
}

/** The namespace that was asked for is not there. */
export function unknownNamespace(address: string, namespace: string): Problem {
  return {
    code: 'InvalidArgument',
    message: `Temporal at ${printable(address)} has no namespace ${printable(namespace)}.`,
    hint: `Set TEMPORAL_NAMESPACE to one that it has (temporal operator namespace list), or create it: temporal operator namespace create -n ${printable(namespace)}`,
  };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
