// zip.js - files in one archive, stored as they are: pictures are compressed already.

const TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
    let value = i;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
});

/** The check sum of ZIP. */
export function crc32(bytes) {
    let sum = 0xffffffff;
    for (const byte of bytes) sum = (sum >>> 8) ^ TABLE[(sum ^ byte) & 255];
    return (sum ^ 0xffffffff) >>> 0;
}

const LARGEST = 0xffffffff; // bytes: what the form has numbers for
const UTF8 = 0x0800;        // names are
const VERSION = 20;

/** Numbers of [value, bytes], the lowest byte first. */
function numbers(...fields) {
    return Uint8Array.from(fields.flatMap(([value, count]) => Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** i) % 256)));
}

/** Date and time as in MS-DOS, to two seconds. */
function stamp(date) {
    const day = (date.getFullYear() - 1980) * 512 + (date.getMonth() + 1) * 32 + date.getDate();
    const time = date.getHours() * 2048 + date.getMinutes() * 32 + Math.floor(date.getSeconds() / 2);
    return day * 65536 + time;
}

/** An archive to which files are added one after the other. */
export class Zip {
    #parts = [];
    #directory = [];
    #size = 0;
    #names = new Set();

    get count() { return this.#directory.length / 2; } // each has a head and a name

    /** Adds a Blob.  A name that is taken gets a number.  Fails with a RangeError where the archive would be too large. */
    async add(name, blob, date = new Date()) {
        if (this.#size + blob.size > LARGEST - (1 << 20) || this.count === 65535)
            throw new RangeError('An archive of more than 4 gigabytes cannot be written.');
        const unique = this.#unique(name);
        const encoded = new TextEncoder().encode(unique);
        const sum = crc32(new Uint8Array(await blob.arrayBuffer()));
        const common = [[VERSION, 2], [UTF8, 2], [0, 2], [stamp(date), 4], [sum, 4], [blob.size, 4], [blob.size, 4], [encoded.length, 2], [0, 2]];
        const head = numbers([0x04034b50, 4], ...common);
        this.#directory.push(numbers([0x02014b50, 4], [VERSION, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [this.#size, 4]), encoded);
        this.#parts.push(head, encoded, blob);
        this.#size += head.length + encoded.length + blob.size;
    }

    #unique(name) {
        const [, start, ending] = /^(.*?)(\.[^.]*)?$/s.exec(name);
        let unique = name;
        for (let i = 2; this.#names.has(unique); i++) unique = `${start}-${i}${ending ?? ''}`;
        this.#names.add(unique);
        return unique;
    }

    blob() {
        const length = this.#directory.reduce((sum, part) => sum + part.length, 0);
        const { count } = this;
        const end = numbers([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [length, 4], [this.#size, 4], [0, 2]);
        return new Blob([...this.#parts, ...this.#directory, end], { type: 'application/zip' });
    }
}
