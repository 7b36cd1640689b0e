import { authorityFile, trustAuthority } from '../../../lab/certificates.ts';

trustAuthority();

/** gRPC trusts the authorities in that file alone. It reads the variable when it is loaded, so this module has to be imported before everything else. */
process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = authorityFile;
