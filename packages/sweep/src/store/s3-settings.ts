import { FuzzError } from '@fuzzqe/core';

/** Where an S3-compatible store lies and who asks it. */
export interface S3Settings {
  readonly bucket: string;
  /** What all keys begin with: '' or a text that ends with `/`. */
  readonly prefix: string;
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings of `s3://bucket/prefix`: credentials from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the region
 * from AWS_REGION or AWS_DEFAULT_REGION, the server from AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL.
 *
 * @throws FuzzError `usage`: the address is none, or variables are missing, which it names without their values.
 */
export function s3Settings(address: string, env: Environment = process.env): S3Settings {
  const parts = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._/-]*))?$/.exec(address);
  const prefix = parts?.[2]?.replace(/\/+$/, '') ?? '';
  if (parts === null || /(?:^|\/)(?:\.{0,2})(?:\/|$)/.test(prefix === '' ? 'x' : prefix))
    throw new FuzzError(
      'usage',
      'store: expected s3://bucket/prefix of letters, digits, ".", "_", "-" and "/"',
      {
        path: address,
        hint: 'As in s3://experiments/countries-sweep.',
      },
    );
  const accessKeyId = env['AWS_ACCESS_KEY_ID'] ?? '';
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'] ?? '';
  const missing = [
    ...(accessKeyId === '' ? ['AWS_ACCESS_KEY_ID'] : []),
    ...(secretAccessKey === '' ? ['AWS_SECRET_ACCESS_KEY'] : []),
  ];
  if (missing.length > 0)
    throw new FuzzError('usage', `the store needs credentials, and ${missing.join(' and ')} is not set`, {
      path: address,
      hint: 'Set the variables; a profile is written as such by: aws configure export-credentials --format env',
    });
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1';
  const endpoint =
    env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || `https://s3.${region}.amazonaws.com`;
  if (!/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/.test(endpoint))
    throw new FuzzError('usage', 'AWS_ENDPOINT_URL: expected http:// or https:// with a host, and no user', {
      path: address,
      hint: 'As in http://127.0.0.1:9000.',
    });
  const token = env['AWS_SESSION_TOKEN'] ?? '';
  return {
    bucket: parts[1]!,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: endpoint.replace(/\/+$/, ''),
    region,
    accessKeyId,
    secretAccessKey,
    ...(token === '' ? {} : { sessionToken: token }),
  };
}
