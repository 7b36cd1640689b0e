/** True in `npm run matrix`, which plays all there is; `npm test` plays representative ones, to be done within three quarters of an hour. */
export const isMatrix = process.env['NODEFERRY_MATRIX'] === 'yes';
