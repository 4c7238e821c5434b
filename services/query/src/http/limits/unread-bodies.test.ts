import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { UnreadBodies } from './unread-bodies.ts';

class FakeResponse extends EventEmitter {
  destroyed = false;
  writableEnded = true;
  socket = { writableLength: 1 };
  readonly req: { client: string; method: string };

  constructor(client = 'one', method = 'GET') {
    super();
    this.req = { client, method };
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('unread bodies', () => {
  let cuts = 0;
  const limited = (maxBytes: number) => {
    cuts = 0;
    return new UnreadBodies(
      maxBytes,
      () => cuts++,
      (request) => (request as unknown as FakeResponse['req']).client,
    );
  };
  const send = (unread: UnreadBodies, body: Buffer, response = new FakeResponse()): FakeResponse => {
    unread.add(body, response as unknown as ServerResponse);
    return response;
  };

  it('counts a body until its response is closed', () => {
    const unread = limited(100);
    const response = send(unread, Buffer.alloc(60));
    expect(unread.bytes).to.equal(60);
    response.emit('close');
    expect([unread.bytes, cuts]).to.deep.equal([0, 0]);
  });

  it('counts a shared body once', () => {
    const unread = limited(100);
    const body = Buffer.alloc(60);
    const responses = Array.from({ length: 5 }, () => send(unread, body));
    expect([unread.bytes, cuts]).to.deep.equal([60, 0]);
    for (const response of responses) response.emit('close');
    expect(unread.bytes).to.equal(0);
  });

  it('disconnects the oldest responses until the others fit', () => {
    const unread = limited(100);
    const responses = [40, 40, 40, 90].map((bytes) => send(unread, Buffer.alloc(bytes)));
    expect(responses.map(({ destroyed }) => destroyed)).to.deep.equal([true, true, true, false]);
    expect([unread.bytes, cuts]).to.deep.equal([90, 3]);
  });

  it('disconnects the client with the most unread bytes, not the client that has waited longest', () => {
    const unread = limited(100);
    const patient = send(unread, Buffer.alloc(30), new FakeResponse('patient'));
    const greedy = [40, 20, 40].map((bytes) => send(unread, Buffer.alloc(bytes), new FakeResponse('greedy')));
    expect(greedy.map(({ destroyed }) => destroyed)).to.deep.equal([true, false, false]);
    expect(patient.destroyed).to.equal(false);
    expect(unread.bytes).to.equal(90);
  });

  it('charges a shared body to one client, because cutting the others frees nothing', () => {
    const unread = limited(100);
    const shared = Buffer.alloc(60);
    send(unread, shared, new FakeResponse('first'));
    const many = Array.from({ length: 5 }, () => send(unread, shared, new FakeResponse('many')));
    const large = [30, 20].map((bytes) => send(unread, Buffer.alloc(bytes), new FakeResponse('large')));
    expect(many.map(({ destroyed }) => destroyed)).to.deep.equal(Array(5).fill(false));
    expect(large.map(({ destroyed }) => destroyed)).to.deep.equal([true, false]);
    expect(unread.bytes).to.equal(80);
  });

  it('charges a shared body to a client that still holds it', () => {
    const unread = limited(100);
    const shared = Buffer.alloc(60);
    const [first, second] = ['greedy', 'greedy'].map((client) =>
      send(unread, shared, new FakeResponse(client)),
    );
    first?.emit('close');
    expect(unread.bytes).to.equal(60);
    const patient = [20, 30].map((bytes) => send(unread, Buffer.alloc(bytes), new FakeResponse('patient')));
    expect(patient.map(({ destroyed }) => destroyed)).to.deep.equal([false, false]);
    expect([second?.destroyed, unread.bytes]).to.deep.equal([true, 50]);
  });

  it('charges a shared body to another client after the limit has cut the client that paid for it', () => {
    const unread = limited(100);
    const bodies = Array.from({ length: 9 }, () => Buffer.alloc(10));
    for (const client of ['attacker', 'accomplice'])
      for (const body of bodies) send(unread, body, new FakeResponse(client));
    for (let more = 0; more < 2; more++) send(unread, Buffer.alloc(10), new FakeResponse('attacker'));
    const users = Array.from({ length: 6 }, (_, i) =>
      send(unread, Buffer.alloc(6), new FakeResponse(`user ${i}`)),
    );
    expect(users.filter(({ destroyed }) => destroyed)).to.deep.equal([]);
    expect(unread.bytes).to.be.at.most(100);
  });

  it('does not count the body of a response to HEAD, which the service does not send', () => {
    const unread = limited(100);
    send(unread, Buffer.alloc(60), new FakeResponse('one', 'HEAD'));
    expect(unread.bytes).to.equal(0);
  });

  it('cuts thousands of responses that free nothing within one turn', () => {
    const unread = limited(100);
    const shared = Buffer.alloc(60);
    const responses = Array.from({ length: 20_000 }, () => send(unread, shared));
    const before = process.threadCpuUsage().user;
    send(unread, Buffer.alloc(90), new FakeResponse('other'));
    expect(process.threadCpuUsage().user - before, 'microseconds of CPU').to.be.below(5_000_000);
    expect(responses.every(({ destroyed }) => destroyed)).to.equal(true);
    expect(unread.bytes).to.equal(90);
  });

  it('never disconnects the newest response', () => {
    const unread = limited(100);
    expect(send(unread, Buffer.alloc(200)).destroyed).to.equal(false);
  });

  it('does not count a body if the operating system has received it or its connection is closed', () => {
    const unread = limited(100);
    const [sent, gone] = [new FakeResponse(), new FakeResponse()];
    sent.socket.writableLength = 0;
    gone.destroyed = true;
    send(unread, Buffer.alloc(60), sent);
    send(unread, Buffer.alloc(60), gone);
    expect(unread.bytes).to.equal(0);
  });
});
