// Holds the code that a process loads to what was trusted: each module of the set is compared with its digest on the very
// bytes that are compiled, so that a file which is exchanged after it was judged is refused and never runs.
// Runs in our own process, in the probe of a plugin, before the scripts of hooks and servers (`node --require`), and on the
// thread where Node runs loader hooks when it has no synchronous ones.
"use strict";
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const Module = require("node:module");
const { sep } = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");
const { isMainThread, MessageChannel } = require("node:worker_threads");

const { readFileSync } = fs;
const { parse } = JSON;
/** Digests of files, by their real path. */
const digests = new Map();
/** Folders of packages whose every file has a digest. */
const folders = new Set();
/** Files that name all that they load, so that anything else which they reach appeared after they were judged. */
const known = new Set();
/** Tells the thread of the loader's hooks of more. Absent: the hooks run here, or are not there yet. */
let port;
let isInstalled = false;

/**
 * Adds to what is held. What was held before under the same path counts no more.
 *
 * @param {{ digests: Record<string, string>, folders: string[], known: string[] }} table
 * @returns {Promise<void> | undefined} settles when imports are held too; the first time they are at once
 */
function hold(table) {
  add(table);
  if (!isInstalled) {
    install(table);
    return undefined;
  }
  if (port === undefined) return undefined;
  return new Promise((resolve) => {
    port.ref();
    port.once("message", () => {
      port.unref();
      resolve();
    });
    port.postMessage(table);
  });
}

/** Holds from the start of a process, before Node's loader has taken its own functions. */
function holdFromStart(table) {
  if (Module.registerHooks === undefined) {
    // What an ES module that is required imports passes no hook in Node 20; its loader reads it by address, with this.
    fs.readFileSync = function (path, ...rest) {
      const content = readFileSync.call(this, path, ...rest);
      if (path instanceof URL && path.protocol === "file:" && Buffer.isBuffer(content))
        checkBytes(fileURLToPath(path), content);
      return content;
    };
  }
  void hold(table);
}

function add(table) {
  for (const [path, sha256] of Object.entries(table.digests)) digests.set(path, sha256);
  for (const folder of table.folders) folders.add(folder);
  for (const path of table.known) known.add(path);
}

function install(table) {
  isInstalled = true;
  if (Module.registerHooks !== undefined) {
    Module.registerHooks({
      resolve: (specifier, context, next) => checkNamed(next(specifier, context), context.parentURL),
      load: (url, context, next) => checkLoaded(url, next(url, context)),
    });
  } else {
    // The thread of the hooks preloads what the main one does, and cannot have hooks of its own.
    if (isMainThread) registerHere(table);
    holdRequire();
  }
  holdAddons();
}

function registerHere(table) {
  if (Module.register === undefined)
    throw refusal(process.execPath, "is older than Node 20.6 and cannot be held to what was trusted");
  const channel = new MessageChannel();
  port = channel.port1;
  port.unref();
  const data = { table, port: channel.port2 };
  Module.register(pathToFileURL(__filename).href, { data, transferList: [channel.port2] });
}

/** The loader hooks of Node before 22.15 do not see what is required. */
function holdRequire() {
  const { _compile } = Module.prototype;
  Module.prototype._compile = function (content, filename, ...rest) {
    checkText(filename, content);
    return _compile.call(this, content, filename, ...rest);
  };
  const { _resolveFilename } = Module;
  Module._resolveFilename = function (request, parent, ...rest) {
    const found = _resolveFilename.call(this, request, parent, ...rest);
    if (typeof parent?.filename === "string" && !Module.isBuiltin(found)) checkReached(found, parent.filename);
    return found;
  };
  const loadJson = Module._extensions[".json"];
  Module._extensions[".json"] = function (module, filename) {
    if (expected(filename) === undefined) return loadJson.call(this, module, filename);
    const bytes = readFileSync(filename);
    checkBytes(filename, bytes);
    module.exports = parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  };
}

/** An addon is opened by the system: it is compared just before, and not while it is loaded. */
function holdAddons() {
  const loadAddon = Module._extensions[".node"];
  Module._extensions[".node"] = function (module, filename) {
    if (expected(filename) !== undefined) checkBytes(filename, readFileSync(filename));
    return loadAddon.call(this, module, filename);
  };
}

/** Called by Node on the thread of its hooks. */
function initialize({ table, port: own }) {
  add(table);
  own.on("message", (more) => {
    add(more);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has no origin
    own.postMessage("held");
  });
  own.unref();
}

async function resolve(specifier, context, next) {
  return checkNamed(await next(specifier, context), context.parentURL);
}

async function load(url, context, next) {
  return checkLoaded(url, await next(url, context));
}

function checkNamed(found, parentURL) {
  if (found.url.startsWith("file:") && parentURL?.startsWith("file:") === true)
    checkReached(fileURLToPath(found.url), fileURLToPath(parentURL));
  return found;
}

/** Contract: what comes without its source is loaded by `require`, which is held by itself. */
function checkLoaded(url, loaded) {
  if (!url.startsWith("file:") || loaded.source === undefined || loaded.source === null) return loaded;
  const file = fileURLToPath(url);
  if (typeof loaded.source === "string") checkText(file, loaded.source);
  else checkBytes(file, Buffer.from(loaded.source));
  return loaded;
}

/** A text was decoded already: it must be what the trusted bytes decode to. */
function checkText(file, text) {
  const sha256 = expected(file);
  if (sha256 === undefined || digestOf(Buffer.from(text)) === sha256) return;
  const bytes = readFileSync(file);
  checkBytes(file, bytes);
  const decoded = bytes.toString("utf8");
  if (text !== decoded && text !== decoded.replace(/^\uFEFF/, "")) throw refusal(file, "changed since it was trusted");
}

function checkBytes(file, bytes) {
  const sha256 = expected(file);
  if (sha256 !== undefined && digestOf(bytes) !== sha256) throw refusal(file, "changed since it was trusted");
}

function checkReached(file, parent) {
  if (known.has(parent) && !digests.has(file))
    throw refusal(file, `is loaded by ${parent}, and was not there when that was trusted`);
}

/** Contract: `undefined` for a file that is not held; a file of a held package that has no digest is refused. */
function expected(file) {
  const sha256 = digests.get(file);
  if (sha256 !== undefined || folders.size === 0) return sha256;
  const inside = [...folders].some(
    (folder) => file.startsWith(folder + sep) && !file.slice(folder.length).includes(`${sep}node_modules${sep}`),
  );
  if (inside) throw refusal(file, "was not there when its package was trusted");
  return undefined;
}

function digestOf(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function refusal(file, why) {
  return Object.assign(new Error(`not run: ${file} ${why}; look at it with: ikigai trust`), {
    code: "permission_denied",
  });
}

module.exports = { hold, holdFromStart, initialize, resolve, load };
