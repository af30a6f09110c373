// SPDX-License-Identifier: GPL-3.0-or-later
//
// html_browser.js CHROMIUM FOLDER PAGE...: what a browser says of pages of --html; a line a page. html.sh runs it where axe-core and
// playwright-core are installed. Screenshots and PDFs go to FOLDER.
'use strict';
const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');
const axe = require('axe-core');

const [executablePath, folder, ...pages] = process.argv.slice(2);
const LEAST_CONTRAST = 4.5;

// The contrast of the words in pictures with the paper; axe looks at HTML alone.
function contrastOfPictures() {
	const channels = (text) => text.match(/[\d.]+/g).map(Number);
	const light = (c) => {
		const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const paper = light(channels(getComputedStyle(document.body).backgroundColor).slice(0, 3));
	let least = [Infinity, ''];
	for (const text of document.querySelectorAll('svg text')) {
		// On a tile its own colour lies behind it: svg_medium.c chose the pair.
		if (/tp-on-/.test(text.getAttribute('class')) || !text.getClientRects().length) continue;
		const ink = light(channels(getComputedStyle(text).fill).slice(0, 3));
		const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
		if (contrast < least[0]) least = [contrast, text.getAttribute('class')];
	}
	return least;
}

function smallestWord() {
	let least = Infinity;
	for (const svg of document.querySelectorAll('svg[role=img]')) {
		const box = svg.getBoundingClientRect();
		if (!box.width) continue;
		for (const text of svg.querySelectorAll('text'))
			least = Math.min(least, parseFloat(getComputedStyle(text).fontSize) * box.width / svg.viewBox.baseVal.width);
	}
	return least;
}

async function look(browser, file, width, colorScheme, result) {
	const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
	const page = await context.newPage();
	const name = `${path.basename(file, '.html')}-${width}-${colorScheme}`;
	page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) result.console.push(m.text()); });
	page.on('pageerror', (e) => result.console.push(String(e)));
	page.on('request', (r) => { if (!/^(file|data):/.test(r.url())) result.requests.push(r.url()); });
	const start = process.hrtime.bigint();
	await page.goto('file://' + path.resolve(file), { waitUntil: 'load' });
	result.seconds = Math.max(result.seconds, Number(process.hrtime.bigint() - start) / 1e9);
	result.overflow = Math.max(result.overflow, await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
	const [contrast, words] = await page.evaluate(contrastOfPictures);
	if (contrast < result.contrast) [result.contrast, result.words] = [contrast, `${words} ${colorScheme}`];
	result.px = Math.min(result.px, await page.evaluate(smallestWord));
	// Sorting: the first column of numbers of every table, up and down.
	result.unsorted += await page.evaluate(`Array.from(document.querySelectorAll('th.right button')).filter((b) => {
		b.click(); b.click();
		const th = b.parentElement, t = th.closest('table');
		const v = Array.from(t.tBodies[0].rows, (r) => r.cells[th.cellIndex].textContent).filter((x) => /^[-+]?[\\d.]+$/.test(x)).map(Number);
		return v.some((x, i) => i && x > v[i - 1]);
	}).length`);
	await page.evaluate(axe.source);
	const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
	for (const v of found.violations) result.axe.push(`${v.id} (${v.impact}, ${v.nodes.length}): ${v.nodes[0].html.slice(0, 120)}`);
	result.rules = Math.max(result.rules, found.passes.length + found.violations.length);
	await page.reload();
	await page.screenshot({ path: path.join(folder, name + '.png'), fullPage: true });
	if (width > 1000) await page.pdf({ path: path.join(folder, `${name}.pdf`), format: 'A4', printBackground: true });
	await context.close();
}

// Without script nothing is missing.
async function withoutScript(browser, file) {
	const text = [];
	for (const javaScriptEnabled of [true, false]) {
		const context = await browser.newContext({ javaScriptEnabled });
		const page = await context.newPage();
		await page.goto('file://' + path.resolve(file));
		text.push((await page.textContent('main')).length);
		await context.close();
	}
	return text[1] - text[0];
}

(async () => {
	// No name can be resolved: whatever a page asks for from elsewhere fails, and is seen.
	const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND'] });
	let bad = 0;
	for (const file of pages) {
		const result = { console: [], requests: [], axe: [], rules: 0, seconds: 0, overflow: 0, contrast: Infinity, words: '', px: Infinity, unsorted: 0 };
		for (const width of [360, 1280]) for (const scheme of ['light', 'dark']) await look(browser, file, width, scheme, result);
		const missing = await withoutScript(browser, file);
		const wrong = result.console.length + result.requests.length + new Set(result.axe).size + result.unsorted +
			(result.overflow > 0) + (result.contrast < LEAST_CONTRAST) + (missing !== 0);
		bad += wrong > 0;
		console.log(`${path.basename(file, '.html').padEnd(18)} ${String(Math.round(fs.statSync(file).size / 1000)).padStart(5)} kB ` +
			`${result.seconds.toFixed(2)} s  axe ${new Set(result.axe).size} of ${result.rules}  console ${result.console.length}  ` +
			`requests ${result.requests.length}  overflow ${result.overflow} px  words in pictures >= ${result.px.toFixed(1)} px, contrast ${result.contrast.toFixed(1)}  ` +
			`unsorted ${result.unsorted}  without script ${missing}`);
		for (const line of new Set([...result.axe, ...result.console, ...result.requests])) console.log(`    ${line}`);
		if (result.contrast < LEAST_CONTRAST) console.log(`    contrast ${result.contrast.toFixed(2)}: ${result.words}`);
	}
	await browser.close();
	console.log(`${pages.length - bad} of ${pages.length} pages without a fault`);
	process.exit(bad > 0 ? 1 : 0);
})();
