// three.js in headless Chromium over what bake_test.sh made: node three.mjs FOLDER
// Every soft clip is played by an AnimationMixer; at several frames the positions of all vertices,
// morphed and skinned by three.js itself, are compared with the point cache of the same bake. The
// largest difference must be within the tolerance of the bake. Pictures are left in the folder.
import fs from 'fs';
import http from 'http';
import path from 'path';
import { createRequire } from 'module';
import { fileURLToPath } from 'url';
import { execFileSync } from 'child_process';

const here = path.dirname(fileURLToPath(import.meta.url));
const home = path.resolve(process.env.SINEW_CLIENTS || path.join(here, '../../build/clients'));
const { chromium } = createRequire(path.join(home, 'package.json'))('playwright-core');
const folder = process.argv[2];
const TOLERANCE = 0.005; // of the height: what bake keeps to by default
const ROUNDING = 1e-5; // of the height: floats

const ROOTS = { '/three/': path.join(home, 'node_modules/three/'), '/baked/': folder, '/': here };
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.json': 'application/json' };

// Serves the folders above to the page, on the loopback device alone.
function serve() {
  const server = http.createServer((request, response) => {
    const url = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const root = Object.keys(ROOTS).find((prefix) => url.startsWith(prefix));
    const file = path.join(ROOTS[root], path.normalize('/' + url.slice(root.length)));
    fs.readFile(file, (problem, bytes) => {
      response.writeHead(problem ? 404 : 200, { 'Content-Type': TYPES[path.extname(file)] || 'application/octet-stream' });
      response.end(problem ? '' : bytes);
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function findBrowser() {
  return execFileSync('sh', ['-c', 'command -v chromium || command -v chromium-browser'], { encoding: 'utf8' }).trim();
}

// The largest difference of one character, as a share of its height; prints it.
async function check(page, name) {
  const summary = JSON.parse(fs.readFileSync(path.join(folder, `${name}.summary.json`)));
  const caches = fs.readdirSync(folder).filter((file) => file.startsWith(`${name}.`) && file.endsWith('.pc2'));
  const result = await page.evaluate(([n, c]) => window.compare(n, c), [name, caches]);
  await page.screenshot({ path: path.join(folder, `${name}.three.png`) });
  const share = result.worst / summary.height;
  const told = summary.morphError ?? summary.boneError;
  console.log(`${name}: three.js: ${result.clips} clips, ${result.vertices} vertices, ${result.compared} frames compared: ` +
    `largest difference ${(100 * share).toFixed(4)} % of the height (bake says ${(100 * told).toFixed(4)} %); ` +
    `${(100 * result.covered).toFixed(1)} % of the picture is drawn`);
  const allowed = Math.max(TOLERANCE, told) + ROUNDING;
  return share <= allowed && result.covered > 0.01 && result.compared > 0;
}

async function main() {
  const names = fs.readdirSync(folder).filter((file) => file.endsWith('.in.glb')).map((file) => file.slice(0, -7));
  const server = await serve();
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
  let failed = 0;
  try {
    for (const name of names) {
      const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
      const problems = [];
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      page.on('pageerror', (problem) => problems.push(String(problem)));
      await page.goto(`http://127.0.0.1:${server.address().port}/three.html`);
      await page.waitForFunction(() => window.compare, null, { timeout: 60000 });
      const passed = await check(page, name);
      problems.forEach((text) => console.log(`  ${name}: the page says: ${text}`));
      if (!passed || problems.length > 0) {
        console.log(`FAILED: ${name}`);
        failed++;
      }
      await page.close();
    }
  } finally {
    await browser.close();
    server.close();
  }
  console.log(`${names.length - failed} passed, ${failed} failed`);
  return failed > 0 || names.length === 0 ? 1 : 0;
}

main().then((code) => process.exit(code), (problem) => {
  console.error(problem);
  process.exit(1);
});
