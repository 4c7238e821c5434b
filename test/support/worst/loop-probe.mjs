/**
 * A module that `NODE_OPTIONS=--import` loads into a service. It measures the CPU time of each turn of the
 * event loop on the main thread. This time does not depend on what else the machine does. The unit is the
 * time in which the same thread parses a known string, so the result does not depend on the speed of the
 * machine either. On SIGUSR2, it writes a line with the longest turn since the last line to standard output.
 */
const REFERENCE = JSON.stringify(
  Array.from({ length: 5_000 }, (_, i) => ({
    id: `listing-${i}`,
    title: 'Casa na praia, três quartos',
    price: i,
  })),
);
const [WARM_UP_ROUNDS, ROUNDS] = [100, 200];

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

function unitMs() {
  for (let i = 0; i < WARM_UP_ROUNDS; i++) JSON.parse(REFERENCE);
  // The clock of a thread can be coarse, so only many parses together are measured.
  const start = cpuMs();
  for (let i = 0; i < ROUNDS; i++) JSON.parse(REFERENCE);
  return (cpuMs() - start) / ROUNDS;
}

if (process.argv[1]?.endsWith('main.ts')) {
  const unit = unitMs();
  let before = cpuMs();
  let longest = 0;
  const measure = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
    setImmediate(measure).unref();
  };
  setTimeout(() => {
    before = cpuMs();
    measure();
  }, 0).unref();
  process.on('SIGUSR2', () => {
    const turn = { units: longest / unit, ms: longest, unitMs: unit };
    process.stdout.write(`longest-turn ${JSON.stringify(turn)}\n`);
    longest = 0;
    before = cpuMs();
  });
}
