import type { Problem } from '../model/problem.ts';
import { printable } from '../text/printable.ts';

/** Port of a Temporal server whose address has no port. It is the default of both SDKs. */
export const defaultTemporalPort = 7233;

/** Why a connection to a network endpoint fails, as far as the client can tell. */
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
  /** The text of the system error. */
  readonly detail: string;
}

const asTheCli =
  'TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS_* have the same meaning as for the temporal CLI.';

const explanations: Readonly<Record<EndpointFault['kind'], { readonly what: string; readonly fix: string }>> = {
  'no-such-host': {
    what: 'the host name is not known',
    fix: `Correct TEMPORAL_ADDRESS, or fix the DNS. ${asTheCli}`,
  },
  refused: {
    what: 'nothing listens there',
    fix: `Start a server with \`nodeferry dev\`, or correct TEMPORAL_ADDRESS. ${asTheCli}`,
  },
  unreachable: {
    what: 'the host cannot be reached',
    fix: `Check the network between here and the server, or correct TEMPORAL_ADDRESS. ${asTheCli}`,
  },
  silent: {
    what: 'it did not respond',
    fix: `Check the firewalls between here and the server, and that the address is that of a Temporal frontend (gRPC), not of its web UI. ${asTheCli}`,
  },
  'unknown-authority': {
    what: 'its certificate is signed by an unknown authority',
    fix: 'Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of the authority.',
  },
  'other-name': {
    what: 'its certificate is for another name',
    fix: 'Set TEMPORAL_TLS_SERVER_NAME to the name in the certificate, or use an address that the certificate contains.',
  },
  expired: {
    what: 'its certificate has expired or is not valid yet',
    fix: 'Renew the certificate, or correct the clock of this machine.',
  },
  'wants-client-certificate': {
    what: 'it requires a client certificate that it trusts',
    fix: 'Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH to your certificate and its key.',
  },
  'speaks-no-tls': {
    what: 'this client uses TLS, and the server does not',
    fix: 'Unset TEMPORAL_TLS_* and TEMPORAL_API_KEY (an API key switches TLS on), set TEMPORAL_TLS=false, or use a port that serves TLS.',
  },
  'speaks-tls': {
    what: 'the server uses TLS, and this client does not',
    fix: 'Set TEMPORAL_TLS=true, or TEMPORAL_API_KEY, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.',
  },
  'speaks-other': {
    what: 'the server at this address does not use gRPC',
    fix: 'Use the address of the Temporal frontend, usually with port 7233, not that of its web UI or metrics.',
  },
  'tls-failed': {
    what: 'the TLS handshake failed',
    fix: 'Check TEMPORAL_TLS_* and the certificates that they name.',
  },
};

/** Explains why the client cannot connect to a Temporal server. Without a fault the message has the text of the SDK's error. */
export function explainConnection(address: string, fault: EndpointFault | undefined, sdkText: string): Problem {
  const where = `No Temporal server answers at ${printable(address)}`;
  if (fault === undefined) {
    return { code: 'TemporalUnreachable', message: `${where}: ${printable(firstLine(sdkText), 200)}.`, hint: asTheCli };
  }
  const { what, fix } = explanations[fault.kind];
  const detail = fault.detail === '' ? '' : ` (${printable(firstLine(fault.detail), 200)})`;
  return { code: 'TemporalUnreachable', message: `${where}: ${what}${detail}.`, hint: fix };
}

/** Explains what is wrong with an address, before any connection is made. Undefined for a valid address. */
export function explainAddress(address: string): Problem | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[0];
  const bare = scheme === undefined ? address : address.slice(scheme.length).replace(/\/.*$/, '');
  const isHostPort = /^(?:\[[0-9a-f:.]+\]|[^\s:/[\]@]+)(?::\d{1,5})?$/i.test(bare);
  if (scheme === undefined && isHostPort && Number(/:(\d+)$/.exec(bare)?.[1] ?? 1) <= 65_535) return undefined;
  const example =
    isHostPort && bare !== ''
      ? `${bare}${/:\d+$/.test(bare) ? '' : `:${defaultTemporalPort}`}`
      : 'temporal.example.com:7233';
  return {
    code: 'InvalidArgument',
    message: `TEMPORAL_ADDRESS is '${printable(address.replace(/[^/]*@/, '…@'))}', which is not HOST:PORT.`,
    hint: `Write it without a scheme, for example ${printable(example)}. TEMPORAL_TLS=true or TEMPORAL_API_KEY switches TLS on.`,
  };
}

/** Explains why the settings of the connection cannot be read: a missing file, an unknown profile, invalid TOML. */
export function explainSettings(sdkText: string): Problem {
  const profile = /Profile '(.*)' not found/.exec(sdkText)?.[1];
  if (profile !== undefined) {
    return {
      code: 'InvalidArgument',
      message: `TEMPORAL_PROFILE is '${printable(profile)}', and the configuration file of Temporal has no such profile.`,
      hint: 'List its profiles: temporal config list. Or set TEMPORAL_CONFIG_FILE to another file.',
    };
  }
  return {
    code: 'InvalidArgument',
    message: `The settings of the connection to Temporal can't be read: ${printable(firstLine(sdkText), 200)}`,
    hint: 'Correct the file that TEMPORAL_CONFIG_FILE or TEMPORAL_TLS_* names (default: temporalio/temporal.toml in the user’s configuration directory).',
  };
}

/** A call that the server rejected. */
interface RefusedCall {
  /** Number of the gRPC status. */
  readonly code: number;
  readonly details: string;
}

/** gRPC status codes (grpc/grpc, doc/statuscodes.md). */
const grpc = {
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  failedPrecondition: 9,
  unauthenticated: 16,
} as const;

/** Explains a rejected call whose cause is the configuration of this process, or that of the workers. Undefined for other causes. */
export function explainRefusal(
  { address, namespace }: { readonly address: string; readonly namespace: string },
  { code, details }: RefusedCall,
): Problem | undefined {
  const serverText = printable(firstLine(details), 200);
  if (code === grpc.notFound && /namespace .*not found/i.test(details)) return unknownNamespace(address, namespace);
  if (code === grpc.unauthenticated || code === grpc.permissionDenied) {
    return {
      code: 'Forbidden',
      message: `Temporal at ${printable(address)} refuses this caller in namespace ${printable(namespace)}: ${serverText}`,
      hint: 'Check TEMPORAL_API_KEY, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, and that they give access to this namespace.',
    };
  }
  // After its third attempt (temporalio/temporal, failQueryWorkflowTaskAttemptCount and failUpdateWorkflowTaskAttemptCount in service/history/api).
  if (code === grpc.failedPrecondition && /workflow task in failed state/i.test(details)) {
    return {
      code: 'TemporalUnreachable',
      message: 'The workers fail to continue this workflow, so it answers nothing and takes no command.',
      hint: 'See why, and what to do: nodeferry doctor. It continues by itself with workers that can continue it; then give the command again.',
    };
  }
  if (code === grpc.invalidArgument && /search attribute/i.test(details)) {
    return {
      code: 'InvalidArgument',
      message: `Namespace ${printable(namespace)} does not know the search attributes of nodeferry: ${serverText}`,
      hint: 'Register them: a worker that is started for this namespace prints the command. `nodeferry dev` and docker compose do it automatically.',
    };
  }
  return undefined;
}

/** The requested namespace does not exist. */
export function unknownNamespace(address: string, namespace: string): Problem {
  return {
    code: 'InvalidArgument',
    message: `Temporal at ${printable(address)} has no namespace ${printable(namespace)}.`,
    hint: `Set TEMPORAL_NAMESPACE to one that it has (temporal operator namespace list), or create it: temporal operator namespace create -n ${printable(namespace)}`,
  };
}

/** A payload was written with a codec that this client doesn't have. */
export function unknownEncoding(namespace: string, encoding: string): Problem {
  return {
    code: 'InvalidArgument',
    message: `What Temporal keeps in namespace ${printable(namespace)} is encoded as ${printable(encoding)}, which only the payload codec that encoded it can read.`,
    hint: 'Set NODEFERRY_PAYLOAD_CODEC as for the workers and for whoever started the run (docs/encryption.md).',
  };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
