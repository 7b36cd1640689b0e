import protobuf from 'protobufjs';
import type { RpcError } from '../errors.ts';

/** google/rpc/status.proto and error_details.proto, which the client's package does not contain. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
  message RequestInfo { string request_id = 1; string serving_data = 2; }
`);

/** A google.rpc.Status as it travels in `grpc-status-details-bin`. */
export function encodeStatus(code: number, { message, details }: RpcError): Buffer {
  const packed = details.map(([name, fields]) => {
    const type = root.lookupType(name);
    return { typeUrl: `type.googleapis.com/${name}`, value: type.encode(type.fromObject({ ...fields })).finish() };
  });
  const type = root.lookupType('google.rpc.Status');
  return Buffer.from(type.encode(type.fromObject({ code, message, details: packed })).finish());
}
