/** Processes of a fleet on this machine, and requests to them; Node alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const children = new Set();

/** Ports that were free a moment ago. */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Starts a program, whose last words `said` gives. */
export function start(command, args, name) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const lines = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => lines.push(String(data)));
  child.ended = once(child, 'exit').then(([code, signal]) => {
    children.delete(child);
    return signal ?? code;
  });
  child.said = () => `${name}: ${lines.join('').slice(-2000)}`;
  return child;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
/** Sends a request; status 0 is a connection that failed. */
export const ask = (port, path, body, more = {}, method = body === undefined ? 'GET' : 'POST') =>
  new Promise((resolve) => {
    const failed = (error) => resolve({ status: 0, text: error.message, headers: {} });
    const headers = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...more };
    const request = http.request({ port, host: '127.0.0.1', path, method, agent, headers }, (response) => {
      let text = '';
      response.on('data', (data) => {
        text += data;
      });
      response.on('error', failed);
      response.on('end', () => resolve({ status: response.statusCode, text, headers: response.headers }));
    });
    request.on('error', failed);
    request.end(body);
  });

/** Waits a minute at most. */
export async function until(what, holds) {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await holds()) return;
    await wait(100);
  }
  throw new Error(`waited a minute: ${what}; ${[...children].map((child) => child.said()).join('; ')}`);
}

/** Ends every program that was started. */
export async function endAll() {
  const left = [...children];
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(left.map((child) => child.ended));
}
