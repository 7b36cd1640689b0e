/**
 * A certificate for localhost and 127.0.0.1 that another authority has signed than the one that tests trust, valid for a hundred years; made with
 * openssl. It protects nothing.
 */
export const otherAuthority = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBozCCAUigAwIBAgIUFXwQchvKZsOqszc/D1FdWos9V2owCgYIKoZIzj0EAwIw
ITEfMB0GA1UEAwwWYW5vdGhlciB0ZXN0IGF1dGhvcml0eTAgFw0yNjExMjcxNTMz
MTZaGA8yMTI2MTEwMzE1MzMxNlowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYH
KoZIzj0CAQYIKoZIzj0DAQcDQgAEEtR2kUj95ivaE71+XR90pIWBluFr7O1TfI3m
MVXIFHtt2g5HI4YoI0DS7OKzsK/qvjzXsFv+KIqmY13GhhxnyKNpMGcwGgYDVR0R
BBMwEYIJbG9jYWxob3N0hwR/AAABMAkGA1UdEwQCMAAwHQYDVR0OBBYEFI/+jhMm
JexEdbukPYbxdJ1hOrYHMB8GA1UdIwQYMBaAFI2d0S1Yv66XmCiPI1fsn9+SFhWs
MAoGCCqGSM49BAMCA0kAMEYCIQDXcc93S/Aki2IhSWiDoYQYusa2psLX1BQC4NFi
ek2M+wIhAKQ2z4whhNhxoCA4fUl+qvNFQnrIvdkXHAulWeFfVmLH
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmUAjvF8J1eOgcNT4
4eibc1ODgP5f1OW94SYcvO9giV+hRANCAAQS1HaRSP3mK9oTvX5dH3SkhYGW4Wvs
7VN8jeYxVcgUe23aDkcjhigjQNLs4rOwr+q+PNewW/4oiqZjXcaGHGfI
-----END PRIVATE KEY-----
`,
};
