// Noise for sums of gradients on a graphics processor. Plain C++ and CUDA at once: NVRTC compiles
// this text when a device first needs it, and the tests compile it for the processor they run on.
// It includes nothing, and all it knows of the distribution is a GaussianTable.
#pragma once

#ifdef __CUDACC_RTC__
#define TACIT_DEVICE __device__ inline
#else
#define TACIT_DEVICE inline
#endif

namespace tacit_device {

#ifdef __CUDACC_RTC__
using Word = unsigned long long;
#else
using Word = __UINT64_TYPE__;
__extension__ using WideWord = unsigned __int128;
#endif
using HalfWord = unsigned int;

// ---- Words: ChaCha20 (Bernstein 2008; RFC 8439), keyed anew for every release.

struct Key {
  HalfWord halves[8];
};

TACIT_DEVICE HalfWord rotated(HalfWord x, int bits) { return (x << bits) | (x >> (32 - bits)); }

TACIT_DEVICE void quarter_round(HalfWord& a, HalfWord& b, HalfWord& c, HalfWord& d) {
  a += b;
  d = rotated(d ^ a, 16);
  c += d;
  b = rotated(b ^ c, 12);
  a += b;
  d = rotated(d ^ a, 8);
  c += d;
  b = rotated(b ^ c, 7);
}

// The key stream of one thread: the thread is the nonce, and blocks are counted.
class Words {
 public:
  TACIT_DEVICE Words(const Key& key, Word thread) : key_(key), thread_(thread) {}

  TACIT_DEVICE Word next() {
    if (left_ == 0) refill();
    --left_;
    return Word{block_[2 * left_]} | Word{block_[2 * left_ + 1]} << 32;
  }

 private:
  TACIT_DEVICE void refill() {
    HalfWord start[16] = {0x61707865U, 0x3320646eU, 0x79622d32U, 0x6b206574U};
    for (int i = 0; i < 8; ++i) start[4 + i] = key_.halves[i];
    start[12] = blocks_++;
    start[13] = 0;
    start[14] = static_cast<HalfWord>(thread_);
    start[15] = static_cast<HalfWord>(thread_ >> 32);
    for (int i = 0; i < 16; ++i) block_[i] = start[i];
    HalfWord* b = block_;
    for (int round = 0; round < 10; ++round) {
      quarter_round(b[0], b[4], b[8], b[12]);
      quarter_round(b[1], b[5], b[9], b[13]);
      quarter_round(b[2], b[6], b[10], b[14]);
      quarter_round(b[3], b[7], b[11], b[15]);
      quarter_round(b[0], b[5], b[10], b[15]);
      quarter_round(b[1], b[6], b[11], b[12]);
      quarter_round(b[2], b[7], b[8], b[13]);
      quarter_round(b[3], b[4], b[9], b[14]);
    }
    for (int i = 0; i < 16; ++i) block_[i] += start[i];
    left_ = 8;
  }

  const Key& key_;
  Word thread_;
  HalfWord blocks_ = 0;
  HalfWord block_[16];
  Word left_ = 0;
};

// ---- The distribution: an attempt as in tacit/random/strips_internal.h.

// Places in a GaussianTable.
enum : int {
  kTailIndex,
  kTailRefusedAbove,
  kColumnMask,
  kLimit,
  kShift,
  kReciprocal,
  kTaylor,
  kDegree = 18,
  kLanes = kTaylor + kDegree + 1,
  kStrips = 256,
};
enum : int { kColumns, kExcess, kSureBegin, kSureCount, kBase, kHeight, kLane };

TACIT_DEVICE Word high_product(Word a, Word b) {
#ifdef __CUDACC_RTC__
  return __umul64hi(a, b);
#else
  return static_cast<Word>(WideWord{a} * b >> 64);
#endif
}

// Bits `from` to `from` + 63 of a product, of which higher ones are 0.
TACIT_DEVICE Word product_from(Word a, Word b, int from) {
  return (high_product(a, b) << (64 - from)) | (a * b >> from);
}

struct Bounds {
  Word low;
  Word high;
};

// exp(-m^2 / (2 variance)) in units of 2^-63, as fixed_exp_internal.h and exponent_internal.h have
// it, for magnitudes below the limit.
TACIT_DEVICE Bounds weight_of(Word magnitude, const Word* table) {
  constexpr Word kUnit = Word{1} << 58;
  constexpr Word kEnd = Word{44} << 58;
  constexpr Word kOne = Word{1} << 63;
  constexpr Word kLog2OfE = 0xB8AA3B295C17F0BBULL;
  constexpr Word kLn2 = 0xB17217F7D1CF79ABULL;
  if (magnitude >= table[kLimit]) return {0, 1};
  const Word distance = magnitude << table[kShift];
  const Word squared = high_product(distance, distance);
  if (high_product(squared, table[kReciprocal]) >> 61 != 0) return {0, 1};
  const Word exponent = product_from(squared, table[kReciprocal], 61);
  if (exponent >= kEnd) return {0, 1};
  const Word y = product_from(exponent, kLog2OfE, 63);
  const Word whole = y >> 58;
  const Word z = product_from(kUnit - (y & (kUnit - 1)), kLn2, 58);
  Word sum = table[kTaylor + kDegree];
  for (int k = kDegree; k-- > 0;) sum = table[kTaylor + k] + high_product(sum, z);
  const Word value = sum >> whole;
  const Word slack = (value >> 53) + 2;
  return {value > slack ? value - slack : 0, value + slack < kOne ? value + slack : kOne};
}

enum Outcome { kDrawn, kFailed, kOpen };

struct Attempt {
  Outcome outcome;
  long long value;
  Word words[2];  // of an attempt that is left open
};

// One attempt. kFailed and kDrawn are what the rule of docs/noise.md says for these words.
template <class Source>
TACIT_DEVICE Attempt attempt(const Word* table, Source& source) {
  const Word word = source.next();
  const Word index = word & (kStrips - 1);
  if (index == table[kTailIndex]) {
    const Word second = source.next();
    return {second > table[kTailRefusedAbove] ? kFailed : kOpen, 0, {word, second}};
  }
  const Word* const lane = table + kLanes + index * kLane;
  const Word bits = word & table[kColumnMask];
  if (bits * lane[kColumns] < lane[kExcess]) return {kFailed, 0, {}};
  const Word column = high_product(bits, lane[kColumns]);
  const long long value = static_cast<long long>(column - (lane[kColumns] >> 1));
  if (column - lane[kSureBegin] < lane[kSureCount]) return {kDrawn, value, {}};
  const Word second = source.next();
  const Word height = lane[kHeight];
  const Word low = high_product(second, height);
  const Word high = low + (second * height + height < height ? 1 : 0) + 1;
  const Bounds weight = weight_of(static_cast<Word>(value < 0 ? -value : value), table);
  if (lane[kBase] + high <= weight.low) return {kDrawn, value, {}};
  if (lane[kBase] + low >= weight.high) return {kFailed, 0, {}};
  return {kOpen, 0, {word, second}};
}

// ---- Sums: rounded to steps, with noise, and back.

// A part of the vector: the sums of one parameter, and where the released ones go.
struct Part {
  const void* sums;
  void* released;
  Word begin;  // of its coordinates in the vector
  Word types;  // bit 0: sums are double; bit 1: released are double
};

// A coordinate whose draw was left open.
struct Open {
  Word coordinate;
  Word steps;  // of the sum, as a signed number
  Word words[2];
};

TACIT_DEVICE const Part& part_of(Word coordinate, const Part* parts, int count) {
  int low = 0;
  for (int high = count; high - low > 1;) {
    const int middle = (low + high) / 2;
    (parts[middle].begin <= coordinate ? low : high) = middle;
  }
  return parts[low];
}

// Whole steps nearest to a sum; none where it is no number.
TACIT_DEVICE long long nearest_steps(double steps) {
  constexpr double kLargest = 2251799813685248.0;  // 2^51
  if (steps != steps) return 0;
  const double clamped = steps < -kLargest ? -kLargest : steps > kLargest ? kLargest : steps;
#ifdef __CUDACC_RTC__
  return __double2ll_rn(clamped);
#else
  return __builtin_llrint(clamped);
#endif
}

TACIT_DEVICE double sum_at(const Part& part, Word place) {
  if ((part.types & 1) != 0) return static_cast<const double*>(part.sums)[place];
  return static_cast<const float*>(part.sums)[place];
}

TACIT_DEVICE void release_at(const Part& part, Word place, double number) {
  if ((part.types & 2) != 0) {
    static_cast<double*>(part.released)[place] = number;
  } else {
    static_cast<float*>(part.released)[place] = static_cast<float>(number);
  }
}

}  // namespace tacit_device

#ifdef __CUDACC_RTC__

using namespace tacit_device;

// Each thread takes every `stride`-th coordinate. Draws that are left open are listed behind their
// number; more than there is room for are counted all the same.
extern "C" __global__ void add_noise(const Part* parts, int part_count, Word coordinates,
                                     Word stride, const Word* table, Key key, double steps_per_unit,
                                     double step, Word* open_count, Open* open, Word room) {
  __shared__ Word shared[kLanes + kStrips * kLane];
  for (int i = threadIdx.x; i < kLanes + kStrips * kLane; i += blockDim.x) shared[i] = table[i];
  __syncthreads();
  const Word thread = Word{blockIdx.x} * blockDim.x + threadIdx.x;
  if (thread >= stride) return;
  Words words(key, thread);
  for (Word at = thread; at < coordinates; at += stride) {
    const Part& part = part_of(at, parts, part_count);
    const long long steps = nearest_steps(sum_at(part, at - part.begin) * steps_per_unit);
    Attempt drawn = attempt(shared, words);
    while (drawn.outcome == kFailed) drawn = attempt(shared, words);
    if (drawn.outcome == kDrawn) {
      release_at(part, at - part.begin, static_cast<double>(steps + drawn.value) * step);
      continue;
    }
    const Word place = atomicAdd(open_count, Word{1});
    if (place >= room) continue;
    open[place] = {at, static_cast<Word>(steps), {drawn.words[0], drawn.words[1]}};
  }
}

// Releases the coordinates that were left open, each with its steps and noise.
extern "C" __global__ void release_open(const Part* parts, int part_count, const Open* open,
                                        Word count, double step) {
  const Word i = Word{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Part& part = part_of(open[i].coordinate, parts, part_count);
  const double total = static_cast<double>(static_cast<long long>(open[i].steps));
  release_at(part, open[i].coordinate - part.begin, total * step);
}

#endif
