import { runLong } from './long-run/run-long.ts';
const [seed = '1', steps = '150', kills = '4'] = process.argv.slice(2);
const t = performance.now();
const r = await runLong({ seed: +seed, steps: +steps, kills: +kills, trace: (l) => console.log(((performance.now()-t)/1000).toFixed(1), l.slice(0, 1500)) });
console.log(JSON.stringify(r, null, 1));
process.exit();
