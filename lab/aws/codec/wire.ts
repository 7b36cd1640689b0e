import type { AwsError } from './errors.ts';
import { jsonValue, parseJsonRequest } from './json.ts';
import { type Operation, operations } from './operations.ts';
import { parameterTree, readQuery } from './query.ts';
import { escapeXml, writeXmlMembers } from './xml.ts';

/** The wire protocols: restJson1 (EKS), awsQuery (Auto Scaling, ELB), ec2Query (EC2). */
type Protocol = 'json' | 'query' | 'ec2';

/** A request as it arrived. */
export interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string;
  readonly body: string;
}

/** A request that was parsed. */
interface ParsedRequest {
  readonly kind: 'operation';
  readonly protocol: Protocol;
  readonly operation: Operation;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A request without a schema here: an older API by its service and action name, or something unknown. */
export interface UnmodelledRequest {
  readonly kind: 'unmodelled';
  readonly protocol: Protocol;
  readonly service: string;
  readonly action: string;
}

/** A response ready to be sent. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Service name in the credential scope of a Signature Version 4 header
 * (`Credential=AKID/20300101/eu-west-1/ec2/aws4_request`); the signature itself is not checked.
 */
function signedService(authorization: string): string {
  return /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(authorization)?.[1] ?? '';
}

/** API version that tells ELBv2 from the classic ELB, which share the name `elasticloadbalancing`. */
const ELBV2_API_VERSION = '2015-12-01';

function queryService(signed: string, version: string | null): 'autoscaling' | 'ec2' | 'elbv2' | undefined {
  if (signed === 'autoscaling' || signed === 'ec2') return signed;
  return signed === 'elasticloadbalancing' && version === ELBV2_API_VERSION ? 'elbv2' : undefined;
}

/** Finds out what a request asks for. */
export function parseRequest(request: RawRequest): ParsedRequest | UnmodelledRequest {
  const signed = signedService(request.authorization);
  if (signed === 'eks') {
    const parsed = parseJsonRequest(request.method, new URL(request.url, 'http://localhost'), request.body);
    const action = `${request.method} ${request.url}`;
    return parsed === undefined
      ? { kind: 'unmodelled', protocol: 'json', service: 'eks', action }
      : { kind: 'operation', protocol: 'json', ...parsed };
  }
  const parameters = new URLSearchParams(request.body);
  const action = parameters.get('Action') ?? '';
  const service = queryService(signed, parameters.get('Version'));
  const protocol = service === 'ec2' ? 'ec2' : 'query';
  const operation = service && operations[service].get(action);
  if (operation === undefined) return { kind: 'unmodelled', protocol, service: service ?? signed, action };
  const input = readQuery(operation.input, parameterTree(parameters), protocol) as Record<string, unknown>;
  return { kind: 'operation', protocol, operation, input };
}

const xml = (status: number, body: string): RawAnswer => ({ status, headers: { 'content-type': 'text/xml' }, body });

/** Writes a successful response. */
export function writeAnswer(request: ParsedRequest, output: object, requestId: string): RawAnswer {
  const { operation, protocol } = request;
  if (protocol === 'json') {
    const headers = { 'content-type': 'application/json', 'x-amzn-requestid': requestId };
    return { status: 200, headers, body: JSON.stringify(jsonValue(operation.output, output)) };
  }
  const members = writeXmlMembers(operation.output, output);
  const content =
    protocol === 'ec2'
      ? `<requestId>${requestId}</requestId>${members}`
      : queryResult(operation.name, members, requestId);
  return xml(200, `<${operation.name}Response>${content}</${operation.name}Response>`);
}

/** The body of an awsQuery response: the result and the request's id. */
export function queryResult(action: string, members: string, requestId: string): string {
  const result = `<${action}Result>${members}</${action}Result>`;
  return `${result}<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`;
}

/** Writes an error response. */
export function writeError(protocol: Protocol, error: AwsError, requestId: string): RawAnswer {
  if (protocol === 'json') {
    return {
      status: error.status,
      headers: { 'content-type': 'application/json', 'x-amzn-errortype': error.code, 'x-amzn-requestid': requestId },
      body: JSON.stringify({ message: error.message, ...error.members }),
    };
  }
  const type = error.status >= 500 ? 'Receiver' : 'Sender';
  const core = `<Code>${escapeXml(error.code)}</Code><Message>${escapeXml(error.message)}</Message>`;
  return protocol === 'ec2'
    ? xml(
        error.status,
        `<Response><Errors><Error>${core}</Error></Errors><RequestID>${requestId}</RequestID></Response>`,
      )
    : xml(
        error.status,
        `<ErrorResponse><Error><Type>${type}</Type>${core}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`,
      );
}
