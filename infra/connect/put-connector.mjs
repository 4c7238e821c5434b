// The program of compose.yaml's container `connector`. It gives the documented connector to Kafka Connect.
import { readFile } from 'node:fs/promises';

const { name, config } = JSON.parse(await readFile('/connector.json', 'utf8'));
const response = await fetch(`http://connect:8083/connectors/${name}/config`, {
  method: 'PUT',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ...config, 'database.hostname': 'postgres' }),
});
console.log(`${name}: ${response.status} ${response.ok ? '' : await response.text()}`);
if (!response.ok) process.exitCode = 1;
