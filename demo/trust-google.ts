import { authorityFile } from '../lab/certificates.ts';

/**
 * Lets the gRPC clients of this process trust the simulated Google; the lab sees to all others when it starts. gRPC reads the variable when it is loaded
 * (grpc-js, tls-helpers.ts), and the clients of Temporal and of GKE share it: import them only afterwards.
 */
export function trustSimulatedGoogle(): void {
  process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = authorityFile;
}
