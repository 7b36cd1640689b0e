import { NodeferryError } from '../../core/model/problem.ts';

/**
 * Words of Node.js for a certificate that no known authority has signed, and for one of another host (OpenSSL, X509_verify_cert_error_string; Node.js,
 * lib/tls.js), and those of node-fetch before them, which name the address. gRPC passes on the words without their code, and again for each attempt.
 */
const words =
  /(?:request to \S+ failed, reason: )?(?:unable to verify the first certificate|unable to get (?:local )?issuer certificate|self-signed certificate(?: in certificate chain)?|Hostname\/IP does not match certificate's altnames: .*?(?=\. Resolution note|$))/;

/** Why the certificate of a server was not accepted, from the text of an error without an answer; undefined for errors of other kinds. */
export function distrustIn(text: string): string | undefined {
  return words.exec(text)?.[0];
}

/** What an operator can do about it, with the variables that say which server is called and which file has the authorities. */
export function distrustHint(address: string, file = 'NODE_EXTRA_CA_CERTS'): string {
  return (
    `The server may not be that of the cloud: check the network, proxies, and ${address} if set. ` +
    `If it is, put the authority that has signed its certificate into the file of ${file}, and start nodeferry anew.`
  );
}

/** The problem of a call (its subject and its action) to a server whose certificate was not accepted. Another attempt would meet the same server. */
export function distrusted(
  call: string,
  { why, hint, cause }: { why: string; hint: string; cause: unknown },
): NodeferryError {
  const message = `${call}: the certificate of the server is not trusted: ${why}`;
  return new NodeferryError({ code: 'ProviderRefused', message, hint }, { cause });
}
