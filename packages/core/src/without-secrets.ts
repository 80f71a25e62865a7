/** Names of parameters of an address that let someone in: `?token=`, `&X-Amz-Signature=`, `?sig=`. */
const secretNames = /token|secret|passw|signature|^sig$|credential|api_?key|access_?key|^key$|^auth/i;

/**
 * Text whose addresses keep their host and path, but neither user and password nor the values of parameters that let someone
 * in: what may stand in errors, logs and files. `https://***@host/data.zip?token=***`
 */
export function withoutSecrets(text: string): string {
  if (!text.includes('://')) return text;
  return text.replaceAll(/\b[a-z][\w+.-]*:\/\/[^\s"'<>]+/gi, (address) =>
    address
      // A password may hold, unescaped, what otherwise ends a host: behind a colon the last @ of all counts.
      .replace(/:\/\/(?:[^/?#:@]*:.*|[^/?#]*)@/, '://***@')
      .replaceAll(/([?&;])([^=&;#]+)=([^&;#]*)/g, (whole, sign: string, name: string) =>
        secretNames.test(name) ? `${sign}${name}=***` : whole,
      ),
  );
}
