import type { Middleware } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Problem } from './problem.ts';

/**
 * Refuses a client's requests beyond `perMinute` with 429 until its minute is over; a client is the
 * address that the connection comes from. RFC 6585 §4.
 */
export function rateLimit(perMinute: number): Middleware {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return async (context, next) => {
    try {
      await limiter.consume(context.req.socket.remoteAddress ?? '');
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const seconds = Math.ceil(refusal.msBeforeNext / 1000);
      throw new Problem(429, `No more than ${perMinute} requests a minute.`, { headers: { 'Retry-After': String(Math.max(seconds, 1)) } });
    }
    await next();
  };
}
