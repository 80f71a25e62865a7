/** A response, as far as it was looked at. */
export interface SeenResponse {
  readonly status: number;
  /** Whether it ends the connection. */
  readonly closes: boolean;
  /** Where bodies were asked for. */
  readonly head?: string;
  readonly body?: string;
}

export interface RawSocket {
  send(bytes: Uint8Array, options?: { readonly bodiless?: boolean }): boolean;
  partial(): string;
  close(): void;
}

export function openSocket(
  port: number,
  options: {
    readonly onResponse: (response: SeenResponse) => void;
    readonly onEnd: (error?: Error) => void;
    readonly onOpen?: () => void;
    readonly bodies?: boolean;
  },
): RawSocket;

export function askOnce(
  port: number,
  bytes: Uint8Array,
  milliseconds?: number,
): Promise<{ readonly status: number; readonly body?: string; readonly milliseconds: number }>;
