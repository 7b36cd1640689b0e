import { NodeferryError } from '../../core/model/problem.ts';

/** The project of the environment or of the credentials, as Google's own tools find it: GOOGLE_CLOUD_PROJECT, the credentials file, gcloud, the metadata server. @throws NodeferryError InvalidArgument */
export async function findProject(): Promise<string> {
  const { GoogleAuth } = await import('google-auth-library');
  try {
    return await new GoogleAuth().getProjectId();
  } catch (cause) {
    throw new NodeferryError(
      {
        code: 'InvalidArgument',
        message: 'The Google Cloud project of the cluster is not known',
        hint: 'Set spec.cluster.project in the policy, or GOOGLE_CLOUD_PROJECT in the environment.',
      },
      { cause },
    );
  }
}
