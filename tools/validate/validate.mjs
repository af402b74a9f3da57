// Runs the Khronos glTF validator over files and prints what it finds.
//     tools/validate.sh [--baseline INPUT.glb] FILE...
// Exit code 1 when a file has errors. With --baseline, errors that the input has too are forgiven:
// what came in broken may go out as broken, but not more so.
import fs from 'fs';
import path from 'path';
import { createRequire } from 'module';

// tools/validate.sh installs the package outside the source folder and says where.
const home = process.env.SINEW_VALIDATOR || path.resolve('build/validate');
const validator = createRequire(path.join(home, 'package.json'))('gltf-validator');

const SEVERITIES = ['error', 'warning', 'info', 'hint'];
const MOST_PRINTED = 10; // of each severity and file; the rest is counted

async function validate(file) {
  const folder = path.dirname(path.resolve(file));
  return validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0, // all of them
    externalResourceFunction: async (uri) =>
      new Uint8Array(fs.readFileSync(path.resolve(folder, decodeURIComponent(uri)))),
  });
}

// How many errors of each code a report has. Codes, not places: indices may shift between input
// and output.
function errorCounts(report) {
  const counts = new Map();
  for (const message of report.issues.messages) {
    if (message.severity === 0) counts.set(message.code, (counts.get(message.code) || 0) + 1);
  }
  return counts;
}

function countNewErrors(report, allowed) {
  let count = 0;
  for (const [code, found] of errorCounts(report)) {
    count += Math.max(0, found - (allowed.get(code) || 0));
  }
  return count;
}

function printMessages(report) {
  for (const severity of [0, 1]) {
    const messages = report.issues.messages.filter((message) => message.severity === severity);
    for (const message of messages.slice(0, MOST_PRINTED)) {
      const place = message.pointer || `byte ${message.offset}`;
      console.log(`  ${SEVERITIES[severity]} ${message.code} at ${place}: ${message.message}`);
    }
    if (messages.length > MOST_PRINTED) {
      console.log(`  and ${messages.length - MOST_PRINTED} more ${SEVERITIES[severity]}s`);
    }
  }
}

async function main(words) {
  let baseline = null;
  const files = [];
  for (let i = 0; i < words.length; i++) {
    if (words[i] === '--baseline') baseline = words[++i];
    else files.push(words[i]);
  }
  if (files.length === 0 || baseline === undefined) {
    console.error('usage: validate.sh [--baseline INPUT] FILE...');
    return 2;
  }
  const allowed = baseline ? errorCounts(await validate(baseline)) : new Map();
  let failed = 0;
  for (const file of files) {
    const report = await validate(file);
    const { numErrors, numWarnings } = report.issues;
    const fresh = countNewErrors(report, allowed);
    const forgiven = numErrors > fresh ? ` (${numErrors - fresh} of them in the input too)` : '';
    console.log(`${file}: ${numErrors} errors${forgiven}, ${numWarnings} warnings`);
    printMessages(report);
    if (fresh > 0) failed++;
  }
  return failed > 0 ? 1 : 0;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (problem) => {
    console.error(`validate: ${problem.message || problem}`);
    process.exit(1);
  });
