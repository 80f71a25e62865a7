import { expect, it } from 'vitest';
import { FuzzError, withoutSecrets } from './index.ts';

it('takes users, passwords and keys out of addresses, wherever they stand in a text', () => {
  expect(withoutSecrets('cannot get https://ann:p%40ss@host:8443/a.zip: refused')).toBe(
    'cannot get https://***@host:8443/a.zip: refused',
  );
  // A password may hold what otherwise ends a host; then the last @ before the path counts.
  expect(withoutSecrets('http://ann:p@ss@host/')).toBe('http://***@host/');
  expect(withoutSecrets('(s3://b/k?X-Amz-Credential=AK/2026&X-Amz-Signature=9f&part=2#top)')).toBe(
    '(s3://b/k?X-Amz-Credential=***&X-Amz-Signature=***&part=2#top)',
  );
  expect(withoutSecrets('"https://host/?sig=1&access_token=2" and ftp://u@h/x?key=3')).toBe(
    '"https://host/?sig=***&access_token=***" and ftp://***@h/x?key=***',
  );
});

it.each(['u:pa/hidden', 'u:1234#hidden', 'u:pa?hidden', ':hidden/', 'u:hi@dden/hidden'])(
  'takes out a password that should have been escaped: %s',
  (user) => {
    expect(withoutSecrets(`no answer from postgres://${user}@h/db?table=t`)).toBe(
      'no answer from postgres://***@h/db?table=t',
    );
  },
);

it('leaves everything else as it is', () => {
  for (const text of [
    'ann@example.org: expected a token=1',
    'http://example.org/entity?name=Ann&monkey=1',
    '<http://example.org/a@b>',
    'http://example.org:8080/a/b?c#d',
    'C:\\data\\x?token=1',
  ])
    expect(withoutSecrets(text)).toBe(text);
});

it('no error has them, in any of its parts', () => {
  const address = 'https://ann:s3cret@host/x?token=s3cret';
  const error = new FuzzError('runtime', `no answer from ${address}`, {
    path: address,
    hint: `Try ${address} again.`,
  });
  expect(JSON.stringify([error.message, error.path, error.hint, error.stack, String(error)])).not.toContain(
    's3cret',
  );
});
